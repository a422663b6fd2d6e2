import type { AnyEvent, ProposalAudited } from '@whale/contracts';
import { WhaleError } from '@whale/kernel';
import type { Proposer } from '@whale/proposers';
import { describe, expect, it, test } from 'vitest';
import { Killed, ProposerHost, type ProcessOptions, type Told } from '../testing/proposer-process.ts';
import { ScriptedCaller } from '../testing/scripted-caller.ts';

const text = (name: string) => ({ source: `export const PROMPTS = { system: '${name}' };\n` });
/** Ends at its third valid draft, in the middle of a turn. */
const script = () =>
  new ScriptedCaller([
    { drafts: [] },
    { drafts: [text('one'), text('broken')] },
    { drafts: [text('two'), text('one'), text('three'), text('four')] },
  ]);

const of = <Event extends AnyEvent>(told: readonly Told[], type: Event['type']): Event['data'][] =>
  told.filter(({ event }) => event.type === type).map(({ event }) => event.data as Event['data']);
const audits = (told: readonly Told[]) => of<ProposalAudited>(told, 'whale.proposal.audited.v1');
const lost = ({ step }: ProposalAudited['data']) => step.kind === 'call-lost';
const outcome = (told: readonly Told[]) => told.filter(({ event }) => event.type !== 'whale.proposal.audited.v1');

async function undisturbed() {
  const host = await ProposerHost.open();
  const proposer = script();
  let commits = 0;
  await host.run({ proposer, onCommit: async () => void commits++ });
  return { told: await host.told(), host, commits };
}

describe('a session', () => {
  it('tells each step once, with what it has cost so far, and leaves no journal', async () => {
    const { told, host } = await undisturbed();
    expect(
      audits(told).map(({ sequence, step, totals }) => [sequence, step.kind, totals.calls, totals.tokens]),
    ).toEqual([
      [1, 'call', 1, 113],
      [2, 'call', 2, 226],
      [3, 'candidate', 2, 226],
      [4, 'tool', 2, 226],
      [5, 'candidate', 2, 226],
      [6, 'tool', 2, 226],
      [7, 'call', 3, 339],
      [8, 'candidate', 3, 339],
      [9, 'tool', 3, 339],
      [10, 'candidate', 3, 339],
      [11, 'tool', 3, 339],
      [12, 'candidate', 3, 339],
      [13, 'ended', 3, 339],
    ]);
    expect(audits(told).at(-1)).toMatchObject({
      step: { reason: 'finished', message: null, wanted: 3, written: 5, valid: 3 },
      totals: { usd: 0.75, bytesRead: 28 },
    });
    expect(await host.journalKeys()).toEqual([]);
    expect(await host.workPending()).toBe(0);
  });
});

describe('a kill', () => {
  /** Of an undisturbed session; see the first test. */
  const COMMITS = 16;
  const kills = Array.from({ length: COMMITS }, (_, i) => i + 1);

  test.each(
    kills.flatMap((commit) => [
      { commit, when: 'before' as const },
      { commit, when: 'after' as const },
    ]),
  )(
    'S1, H1: $when commit $commit: nothing is lost, nothing is told twice, nothing is paid for without being counted',
    async (kill) => {
      const whole = await undisturbed();
      expect(whole.commits).toBe(COMMITS);
      const host = await ProposerHost.open();
      const proposer = script();
      await expect(host.run({ proposer, kill })).rejects.toThrow(Killed);
      if ((await host.workPending()) > 0) await host.run({ proposer });
      const told = await host.told();
      expect(outcome(told)).toEqual(outcome(whole.told));
      expect(audits(told).map(({ sequence }) => sequence)).toEqual(audits(told).map((_, i) => i + 1));
      expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
      const own = audits(told).filter((audit) => !lost(audit));
      expect(own.map(({ step }) => step)).toEqual(audits(whole.told).map(({ step }) => step));
      const { totals } = audits(told).at(-1) as ProposalAudited['data'];
      expect(totals.calls).toBeGreaterThanOrEqual(proposer.calls);
      expect(totals.usd).toBe(0.75 + 0.5 * audits(told).filter(lost).length);
      expect(await host.journalKeys()).toEqual([]);
    },
  );

  it('S1: at every commit of a session, one process after the other', async () => {
    const whole = await undisturbed();
    const host = await ProposerHost.open();
    const proposer = script();
    let processes = 0;
    while ((await host.workPending()) > 0) {
      await host.run({ proposer, kill: { commit: 2, when: 'after' } }).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      if (++processes > 40) throw new Error('the session does not get on');
    }
    expect(outcome(await host.told())).toEqual(outcome(whole.told));
    expect(processes).toBeGreaterThan(5);
  });
});

describe('what goes wrong', () => {
  it('D4: a process that has lost its lease writes nothing more; the session is the heir’s', async () => {
    const host = await ProposerHost.open();
    const proposer = script();
    let commits = 0;
    const onCommit = async () => {
      if (++commits === 4) await host.run({ proposer: script() });
    };
    await expect(host.run({ proposer, onCommit })).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER' });
    const told = await host.told();
    expect(outcome(told)).toHaveLength(5);
    expect(audits(told).map(({ sequence }) => sequence)).toEqual(audits(told).map((_, i) => i + 1));
  });

  /** Puts work until there is no room, until there is again. */
  async function fullAfter(puts: number) {
    const host = await ProposerHost.open();
    let left = puts;
    const put: typeof host.blobs.put = async (bytes) => {
      if (left-- <= 0) throw new WhaleError('BLOB_IO', 'no space left on device', { retryable: true });
      return host.blobs.put(bytes);
    };
    const blobs = { put, get: host.blobs.get.bind(host.blobs) };
    return { host, blobs: blobs as ProcessOptions['blobs'] & object };
  }

  it.each([0, 1, 2, 3, 5, 8])(
    'S2: a blob store that is full after %s blobs stops the session, which goes on later',
    async (puts) => {
      const { host, blobs } = await fullAfter(puts);
      const proposer = script();
      await expect(host.run({ proposer, blobs })).rejects.toMatchObject({ code: 'BLOB_IO' });
      await host.run({ proposer });
      expect(outcome(await host.told())).toEqual(outcome((await undisturbed()).told));
      for (const { step } of audits(await host.told())) {
        if ('content' in step) await host.blobs.get(step.content);
        if (step.kind === 'candidate') await host.blobs.get({ uri: step.harness.uri, sha256: step.harness.id });
      }
    },
  );

  const failing = (error: unknown): Proposer => ({
    async *propose(request) {
      yield { ...text('one'), parent: request.incumbent.id, hypothesis: 'It helps.', changes: [] };
      throw error;
    },
  });

  it('H3: a failure that may pass is thrown, as long as there is an attempt left', async () => {
    const host = await ProposerHost.open();
    const proposer = failing(new WhaleError('API_BUSY', 'later', { retryable: true }));
    await expect(host.run({ proposer })).rejects.toThrow('later');
    await host.run({ proposer, isLastAttempt: true });
    const told = await host.told();
    expect(outcome(told).map(({ event }) => event.type)).toEqual(['whale.harness.proposed.v1']);
    expect(audits(told).at(-1)?.step).toMatchObject({
      ...{ kind: 'ended', reason: 'failed', message: 'API_BUSY: later', wanted: 3, written: 1, valid: 1 },
    });
  });

  it('H3: what the proposer needs is waited for when it is away, however often, and whatever was written is kept', async () => {
    const host = await ProposerHost.open();
    const proposer = failing(new WhaleError('PROPOSER_UNAVAILABLE', 'no answer', { retryable: true }));
    for (let i = 0; i < 3; i++) {
      await expect(host.run({ proposer, isLastAttempt: true })).rejects.toThrow('put off');
    }
    expect(host.troubles).toEqual(Array.from({ length: 3 }, () => 'no answer; asked again in 30 s'));
    await host.run({ proposer: failing(new TypeError('oops')) });
    expect(outcome(await host.told()).map(({ event }) => event.type)).toEqual(['whale.harness.proposed.v1']);
  });

  it('H3: a failure for good ends the session at once and keeps what was written', async () => {
    const host = await ProposerHost.open();
    await host.run({ proposer: failing(new TypeError('oops')) });
    const told = await host.told();
    expect(outcome(told).map(({ event }) => event.type)).toEqual(['whale.harness.proposed.v1']);
    expect(audits(told).at(-1)?.step).toMatchObject({ reason: 'failed', message: 'UNEXPECTED: oops', valid: 1 });
  });

  it('H3: without a valid draft it is told as the failure of the proposal', async () => {
    const host = await ProposerHost.open();
    const proposer: Proposer = {
      async *propose() {
        throw new WhaleError('API_KEY', 'no key');
      },
    };
    await host.run({ proposer });
    expect(of(await host.told(), 'whale.proposal.failed.v1')).toMatchObject([
      { error: { code: 'API_KEY', message: 'no key' } },
    ]);
  });

  it('S3: a call that was begun is counted, whatever becomes of it', async () => {
    const host = await ProposerHost.open();
    const proposer: Proposer = {
      async *propose(request, session) {
        yield { ...text('one'), parent: request.incumbent.id, hypothesis: 'It helps.', changes: [] };
        const usage = { input: 10, output: 5, cacheWrite: 0, cacheRead: 0 };
        await session.record({ kind: 'call-begun', turn: 1, model: 'm', usage, usd: 0.5 });
        throw new TypeError('oops');
      },
    };
    await host.run({ proposer });
    const all = audits(await host.told());
    expect(all.map(({ sequence, step }) => [sequence, step.kind])).toEqual([
      [1, 'candidate'],
      [2, 'call-lost'],
      [3, 'ended'],
    ]);
    expect(all.at(-1)?.totals).toEqual({ calls: 1, tokens: 15, usd: 0.5, bytesRead: 0 });
  });

  it('S3: when the attempts are used up, what the session has cost is told before its failure', async () => {
    const host = await ProposerHost.open();
    await expect(host.run({ proposer: script(), kill: { commit: 9, when: 'after' } })).rejects.toThrow(Killed);
    const events = await host.giveUp({ code: 'BLOB_IO', message: 'no space', retryable: true });
    expect(events.map(({ type }) => type)).toEqual([
      'whale.proposal.audited.v1',
      'whale.proposal.audited.v1',
      'whale.proposal.failed.v1',
    ]);
    const steps = events.slice(0, 2).map(({ data }) => data as ProposalAudited['data']);
    expect(steps.map(({ step }) => step.kind)).toEqual(['call-lost', 'ended']);
    expect(steps.map(({ sequence }) => sequence)).toEqual([7, 8]);
    expect(steps.at(-1)).toMatchObject({
      step: { reason: 'failed', message: 'BLOB_IO: no space', wanted: 3, written: 2, valid: 1 },
      totals: { calls: 3, usd: 1 },
    });
  });

  it('S3: a request that never got to a session costs nothing', async () => {
    const host = await ProposerHost.open();
    const events = await host.giveUp({ code: 'BLOB_MISSING', message: 'x', retryable: true });
    expect(events.map(({ type }) => type)).toEqual(['whale.proposal.failed.v1']);
  });

  it('S1: a step that its schema refuses is not there, and ends the session as the failure that it is', async () => {
    const host = await ProposerHost.open();
    const proposer: Proposer = {
      async *propose(request, session) {
        yield { ...text('one'), parent: request.incumbent.id, hypothesis: 'It helps.', changes: [] };
        const step = { kind: 'tool', turn: 1, tool: 'x', input: '', paths: [], bytes: -1, error: null };
        await session.record({ kind: 'step', step: { ...step, kind: 'tool' }, content: null });
      },
    };
    await host.run({ proposer });
    const told = await host.told();
    expect(audits(told).map(({ step }) => step.kind)).toEqual(['candidate', 'ended']);
    expect(audits(told).at(-1)).toMatchObject({ step: { reason: 'failed', valid: 1 }, totals: { bytesRead: 0 } });
    expect(outcome(told)).toHaveLength(1);
  });
});

describe('the end of a session', () => {
  it('H2: is told with the limit that it has reached, and that the batch is short', async () => {
    const host = await ProposerHost.open();
    await host.run({ proposer: new ScriptedCaller([{ drafts: [text('one')] }]) });
    const told = await host.told();
    expect(audits(told).at(-1)?.step).toEqual({
      ...{ kind: 'ended', reason: 'turns', message: '1 turns', wanted: 3, written: 1, valid: 1 },
    });
    expect(of(told, 'whale.harness.proposed.v1')).toMatchObject([{ index: 0, of: 1 }]);
  });

  it('by a limit without a candidate fails the batch for good: another attempt would spend the limit again', async () => {
    const host = await ProposerHost.open();
    await host.run({ proposer: new ScriptedCaller([{ drafts: [text('broken')] }]) });
    const error = { code: 'PROPOSER_LIMIT', retryable: false };
    expect(of(await host.told(), 'whale.proposal.failed.v1')).toMatchObject([{ attempt: 1, final: true, error }]);
  });

  it('H2: comes after the most drafts that are judged', async () => {
    const host = await ProposerHost.open({ count: 1 });
    const drafts = Array.from({ length: 9 }, (_, i) => text(`broken ${i}`));
    await host.run({ proposer: new ScriptedCaller([{ drafts }]) });
    const told = await host.told();
    expect(audits(told).at(-1)?.step).toMatchObject({ reason: 'finished', wanted: 1, written: 4, valid: 0 });
    expect(of(told, 'whale.candidate.rejected.v1').map((rejected) => (rejected as { number: number }).number)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('takes the journals of earlier attempts with it', async () => {
    const host = await ProposerHost.open();
    await expect(host.run({ proposer: script(), kill: { commit: 5, when: 'after' } })).rejects.toThrow(Killed);
    expect(await host.journalKeys()).toHaveLength(5);
    await host.run({ proposer: script() });
    expect(await host.journalKeys()).toEqual([]);
  });
});
