import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Draft, ProposalRequest, Rejection } from '../proposer.ts';
import { asked } from '../recombine/testing/search.ts';
import { syntheticDomain } from '../recombine/testing/synthetic.ts';
import type { JournalEntry } from '../session.ts';
import { drive } from '../testing/drive.ts';
import { RecordedSession, type RecordedSessionOptions } from '../testing/recorded-session.ts';
import { Command } from './command.ts';

const { domain, measure } = syntheticDomain({ seed: 'command' });
const first = measure(domain.seedHarness, { weightsVersion: 'w1', cycle: 1, iteration: 0, index: 0 });
const environment = { PATH: process.env['PATH'], HOME: '/home/me', KEY: 'sesame-opens', OTHER: 'hidden' };

/** A shell in which `write NAME TEXT` writes a candidate with its notes. */
const SCRIPT = `
write() {
  printf '%s' "$2" > "candidates/$1.ts"
  printf '{"hypothesis":"%s is better","changes":["all"],"parent":"%.12s"}' "$1" "$WHALE_INCUMBENT" > "candidates/$1.json"
}
`;
const shell = (script: string): [string, ...string[]] => ['/bin/sh', '-c', SCRIPT + script];

function request(command: string[], extra: { seconds?: number; count?: number } = {}): ProposalRequest {
  return {
    ...asked,
    proposer: { kind: 'command', command, environment: ['KEY'], seconds: extra.seconds ?? 60 },
    domain,
    incumbent: { id: first.harnessId, source: first.source },
    weightsVersion: 'w1',
    archive: [first],
    count: extra.count ?? 2,
    seed: 'seed/1',
    known: new Set([first.harnessId]),
  };
}

function opened(options: RecordedSessionOptions = {}): RecordedSession {
  const session = new RecordedSession(options);
  onTestFinished(() => session.remove());
  return session;
}

const command = new Command({ environment, graceMilliseconds: 200 });
const propose = (
  script: string,
  judge?: (draft: Draft) => Rejection | null,
  session = opened(),
  extra?: { seconds?: number; count?: number },
) => drive(command, request(shell(script), extra), judge, session);

const no: Rejection = { stage: 'types', message: 'not assignable', line: 3 };
const contents = (session: RecordedSession) =>
  session.recorded.flatMap((entry) => (entry.kind === 'step' ? [entry.content as Record<string, unknown>] : []));
const steps = (session: RecordedSession) =>
  session.recorded.flatMap((entry) => (entry.kind === 'step' ? [entry.step] : []));
const starts = (session: RecordedSession) => contents(session).filter(({ kind }) => kind === 'started').length;

describe('a command as the proposer', () => {
  it('is started in the workspace, told what is wanted, and what it wrote is judged by name', async () => {
    const session = opened({ files: { 'index.md': 'hello' } });
    const { drafts, end } = await propose(`cat index.md; write b 'two();'; write a 'one();'`, undefined, session);
    expect(drafts).toEqual([
      { source: 'one();', parent: first.harnessId, hypothesis: 'a is better', changes: ['all'] },
      { source: 'two();', parent: first.harnessId, hypothesis: 'b is better', changes: ['all'] },
    ]);
    expect(end).toBeNull();
    expect(steps(session)).toEqual([
      expect.objectContaining({ kind: 'tool', tool: 'command', turn: 1, error: null, bytes: 0 }),
      expect.objectContaining({ turn: 1, input: 'end 1: 2 new candidates, 0 files refused', error: null }),
    ]);
    expect(contents(session)[1]).toMatchObject({ kind: 'ended', exitCode: 0, stdout: 'hello' });
  });

  it('finds in task.md what is asked of it, and from the second start on that something was rejected', async () => {
    const session = opened();
    await propose(`cat task.md; write a "bad$WHALE_ROUND();"; true`, () => no, session);
    const pages = contents(session).flatMap(({ kind, stdout }) => (kind === 'ended' ? [String(stdout)] : []));
    expect(pages).toHaveLength(4);
    for (const page of pages) expect(page).toContain('Wanted: 2 more valid candidates.');
    expect(pages.map((page) => page.includes('were rejected'))).toEqual([false, true, true, true]);
    expect(pages[0]).not.toContain('Only the strings');
  });

  it('X2: sees of the environment the usual variables, the named ones, and what the platform tells', async () => {
    const session = opened();
    await propose('env | sort', undefined, session);
    const seen = String(contents(session)[1]?.['stdout']).trim().split('\n');
    const own = seen.filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/u.test(line));
    expect(own).toEqual([
      'HOME=/home/me',
      'KEY=[KEY]',
      `PATH=${environment.PATH}`,
      'WHALE_CANDIDATES=2',
      `WHALE_INCUMBENT=${first.harnessId}`,
      'WHALE_PROMPTS_ONLY=0',
      'WHALE_ROUND=1',
      expect.stringMatching(/^WHALE_SECONDS=(60|59)$/u),
      'WHALE_SEED=seed/1',
      'WHALE_WEIGHTS=w1',
      `WHALE_WORKSPACE=${session.folder}`,
    ]);
  });

  it('X3: a key gets neither into the record nor into a candidate', async () => {
    const session = opened();
    const { drafts } = await propose(
      `echo $KEY; echo $KEY >&2; write a "'$KEY';"; write b 'fine();'`,
      undefined,
      session,
    );
    expect(drafts.map(({ source }) => source)).toEqual(['fine();']);
    expect(JSON.stringify(session.recorded)).not.toContain('sesame-opens');
    expect(JSON.stringify(session.recorded)).toContain('[KEY]');
  });

  it('may say in comments what a candidate is, and leave the parent to be the incumbent', async () => {
    const text = '// hypothesis: shorter\\n//   is better\\n// change: less\\n\\ncode();\\n';
    const { drafts } = await propose(`printf '${text}' > candidates/x.ts`);
    expect(drafts[0]).toMatchObject({ parent: first.harnessId, hypothesis: 'shorter is better', changes: ['less'] });
  });

  it('is told of rejections and started again for replacements, as often as three times', async () => {
    const session = opened();
    const { judged, end } = await propose(
      `[ $WHALE_ROUND = 1 ] && write a 'bad1();'
       [ $WHALE_ROUND = 2 ] && { grep -q '"line": 3' candidates/a.rejected.json && write a 'good();'; write b 'bad2();'; }
       [ $WHALE_ROUND = 3 ] && { [ -e candidates/a.rejected.json ] || [ $WHALE_CANDIDATES != 1 ] || write b 'bad3();'; }
       [ $WHALE_ROUND = 4 ] && write b 'bad4();'
       true`,
      ({ source }) => (source.startsWith('bad') ? no : null),
      session,
    );
    expect(judged.map(({ draft }) => draft.source)).toEqual(['bad1();', 'good();', 'bad2();', 'bad3();', 'bad4();']);
    expect(end).toBe('the command was started 4 times and wrote 1 valid candidates of 2');
    expect(starts(session)).toBe(4);
  });

  it('is not started again when it wrote fewer on purpose', async () => {
    const session = opened();
    expect((await propose(`write a 'one();'`, undefined, session)).end).toBe(
      'the command wrote 1 valid candidates of 2',
    );
    expect((await propose('true')).end).toBe('the command wrote 0 valid candidates of 2');
    expect(starts(session)).toBe(1);
  });

  it.each([
    ['no notes', `echo 'code();' > candidates/x.ts`, /there is no candidates\/x\.json, .*\nhypothesis: .*\nchanges: /u],
    ['no JSON', `write x y; echo '{' > candidates/x.json`, /candidates\/x\.json is not JSON/u],
    ['a part that lacks', `write x y; echo '{"hypothesis":"h"}' > candidates/x.json`, /changes: .*missing/u],
    [
      'an unknown parent',
      `write x y; echo '{"hypothesis":"h","changes":["c"],"parent":"0123456789ab"}' > candidates/x.json`,
      /No harness has an id that begins with 0123456789ab/u,
    ],
    ['a link', 'ln -s /etc/passwd candidates/x.ts', /symbolic link/u],
    ['a pipe', 'mkfifo candidates/x.ts', /neither a file nor a folder/u],
  ])('tells the program of a candidate with %s, which costs no judgement', async (_, script, message) => {
    const session = opened();
    const { drafts } = await propose(`[ $WHALE_ROUND = 1 ] && { ${script}; }; true`, undefined, session);
    expect(drafts).toEqual([]);
    const told = readFileSync(join(session.folder, 'candidates/x.rejected.json'), 'utf8');
    expect(JSON.parse(told)).toMatchObject({ message: expect.stringMatching(message), line: null });
    expect(starts(session)).toBe(2);
  });

  it('counts what is written when its time is over, and says so', async () => {
    const session = opened();
    const script = `trap '' TERM; write a 'one();'; while :; do sleep 1; done`;
    const { drafts, end } = await propose(script, () => no, session, { seconds: 1 });
    expect(drafts.map(({ source }) => source)).toEqual(['one();']);
    expect(end).toEqual({ reason: 'seconds', message: 'the 1 s of the session are over' });
    expect(steps(session).at(-1)).toMatchObject({ error: 'the time of the session was over' });
  });

  it('has no more time than is left after what is on record', async () => {
    const session = opened();
    await propose('sleep 1.2', undefined, session);
    const journal = session.recorded.slice(0, 1).concat(session.recorded.slice(1).map(unended));
    const again = opened({ journal });
    const { end } = await propose(`write a 'one();'`, undefined, again, { seconds: 1 });
    expect(end).toMatchObject({ reason: 'seconds' });
    expect(starts(again)).toBe(1);
  });

  it('that fails without a candidate ends the session as failed, with what it said', async () => {
    expect((await propose('echo no credit >&2; exit 3')).end).toEqual({
      reason: 'failed',
      message: 'the command ended with exit code 3 and wrote no candidate: no credit',
    });
    expect((await propose(`kill -9 $$`)).end).toMatchObject({
      message: expect.stringContaining('was ended by SIGKILL'),
    });
    expect((await propose(`write a 'one();'; exit 3`)).drafts).toHaveLength(1);
  });

  it.each([
    ['on the PATH', ['no-such-program'], /there is no program no-such-program on the PATH/u],
    ['at a path', ['./no/such'], new RegExp(`there is no program ${resolve('./no/such')}; paths are taken from`, 'u')],
    ['that may not run', ['./package.json'], /may not be executed/u],
  ])('a program that is not there, %s, is told with what to do', async (_, words, message) => {
    await expect(drive(command, request(words), undefined, opened())).rejects.toMatchObject({
      code: 'ENVIRONMENT',
      message: expect.stringMatching(message),
    });
  });

  it('may be named by its path from where the service was started', async () => {
    const session = opened();
    await drive(command, request(['cat', './package.json']), undefined, session);
    expect(contents(session)[1]?.['stdout']).toContain('"name": "whale"');
  });

  it('X1: does not start again what has ended: its candidates are on record', async () => {
    const script = `write a 'bad();'; [ $WHALE_ROUND = 2 ] && write b 'good();'; true`;
    const judge = ({ source }: Draft) => (source === 'bad();' ? no : null);
    const once = opened();
    const whole = await propose(script, judge, once);
    // Killed after the first end and the verdict: the first round is not run again, the second is.
    const again = opened({ journal: once.recorded.slice(0, 2) });
    expect(await propose(script, judge, again)).toEqual(whole);
    expect(starts(again)).toBe(2);
    expect(existsSync(join(again.folder, 'candidates/a.rejected.json'))).toBe(true);
    // Killed after all: nothing is run.
    const after = opened({ journal: once.recorded });
    expect(await propose('exit 1', judge, after)).toEqual(whole);
    expect(after.recorded).toEqual(once.recorded);
  });

  it('X1: loses no candidate when it is killed while the program runs', async () => {
    const abort = new AbortController();
    const session = opened({ signal: abort.signal });
    const record = session.record.bind(session);
    session.record = async (entry: JournalEntry) => {
      await record(entry);
      if (entry.kind === 'step' && JSON.stringify(entry.content).includes('"written"'))
        abort.abort(new Error('killed'));
    };
    await expect(propose(`write a 'one();'; sleep 1000`, undefined, session)).rejects.toThrow('killed');
    const again = opened({ journal: session.recorded });
    expect((await propose(`cat candidates/a.ts; write b 'two();'`, undefined, again)).drafts).toMatchObject([
      { source: 'one();', hypothesis: 'a is better' },
      { source: 'two();' },
    ]);
    expect(starts(again)).toBe(2);
  });

  it('is not started for ever when its end is never seen', async () => {
    const session = opened();
    await propose('true', undefined, session);
    const started = session.recorded.slice(0, 1);
    const again = opened({ journal: Array.from({ length: 8 }, () => started).flat() });
    expect((await propose('true', undefined, again)).end).toMatchObject({ reason: 'failed' });
  });

  it('that cannot be put on record is ended', async () => {
    const session = opened();
    const record = session.record.bind(session);
    session.record = (entry) =>
      JSON.stringify(entry).includes('"written"') ? Promise.reject(new Error('lease lost')) : record(entry);
    await expect(propose(`write a 'one();'; sleep 1000`, undefined, session)).rejects.toThrow('lease lost');
  });
});

/** The step as of a program whose end was not seen. */
function unended(entry: JournalEntry): JournalEntry {
  if (entry.kind !== 'step') return entry;
  return { ...entry, content: { kind: 'written', round: 1, file: { name: 'w', source: 's', notes: null } } };
}
