import type { Domain, Task } from '@whale/domain-api';
import { describe, expect, it } from 'vitest';
import type { ProposalRequest, Rejection } from '../proposer.ts';
import { asked } from '../recombine/testing/search.ts';
import { syntheticDomain } from '../recombine/testing/synthetic.ts';
import { bareSession, drive } from '../testing/drive.ts';
import { Module } from './module.ts';
import { moduleFiles } from './testing/module-files.ts';

const { domain, measure } = syntheticDomain({ seed: 'module' });
const first = measure(domain.seedHarness, { weightsVersion: 'w1', cycle: 1, iteration: 0, index: 0 });
const file = moduleFiles();

function request(path: string, seconds = 60): ProposalRequest {
  return {
    ...asked,
    proposer: { kind: 'module', path, options: {}, seconds },
    domain,
    incumbent: { id: first.harnessId, source: first.source },
    weightsVersion: 'w1',
    archive: [first],
    count: 2,
    seed: 'seed',
    known: new Set([first.harnessId]),
  };
}

let made = 0;
/** A module whose propose has this body; `draft(n)` makes a draft. */
const proposing = (body: string, declared = 'async *propose') =>
  file(
    `p${made++}.ts`,
    `const draft = (n: number) => ({ source: 'source ' + n, parent: 'p', hypothesis: 'h' + n, changes: ['c'] });
    export default { name: 'p', create: () => ({ ${declared}(request: any, session: any) { ${body} } }) };`,
  );
const propose = (path: string, seconds?: number, session = bareSession()) =>
  drive(new Module(), request(path, seconds), undefined, session);

describe('a module as the proposer', () => {
  it('is given request and session, and told each verdict', async () => {
    const path = proposing(`
      for (let n = 0; ; n++) {
        const verdict = yield { ...draft(n), hypothesis: request.seed + '/' + request.weightsVersion };
        if (verdict !== null && verdict.message !== 'no ' + n) return 'not told';
      }`);
    let n = 0;
    const refused = (): Rejection => ({ stage: 'parse', message: `no ${n}`, line: null });
    const { judged, end } = await drive(new Module(), request(path), () =>
      n < 2 ? { ...refused(), message: `no ${n++}` } : null,
    );
    expect(judged.map(({ rejection }) => rejection?.message ?? 'valid')).toEqual(['no 0', 'no 1', 'valid', 'valid']);
    expect(judged[0]?.draft.hypothesis).toBe('seed/w1');
    expect(end).toBeNull();
  });

  it('may end before, with or without a reason', async () => {
    expect((await propose(proposing('yield draft(1);'))).end).toBeNull();
    expect((await propose(proposing("yield draft(1); return 'no more';"))).end).toBe('no more');
    const failed = { reason: 'failed', message: 'broke' };
    expect((await propose(proposing(`return ${JSON.stringify(failed)};`))).end).toEqual(failed);
  });

  it.each([
    ['a draft that is none', "yield 'text';", /draft 1 is malformed; yield \{ source, parent, hypothesis, changes \}/u],
    [
      'a part that lacks',
      'yield draft(0); yield { ...draft(1), hypothesis: undefined };',
      /draft 2 .*\n?.*hypothesis: /u,
    ],
    ['a part that is empty', "yield { ...draft(1), hypothesis: ' ' };", /hypothesis: /u],
    ['no changes', 'yield { ...draft(1), changes: [] };', /changes: /u],
    ['another end', 'return 7;', /returned neither nothing/u],
    ['a throw', "yield draft(1); throw new Error('boom');", /: boom$/u],
    ['a throw of no error', "throw 'text';", /: text$/u],
  ])('U1: %s ends the session with an error that says so', async (_, body, message) => {
    await expect(propose(proposing(body))).rejects.toMatchObject({
      code: 'PROPOSER_MODULE',
      retryable: false,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['a list', 'return [draft(1)];', 'propose'],
    ['a promise', 'return draft(1);', 'async propose'],
    ['nothing', '', 'propose'],
  ])('U1: propose that gives %s is told how to be written', async (_, body, declared) => {
    await expect(propose(proposing(body, declared))).rejects.toThrow('async *propose(request, session)');
  });

  it('U2: is given the domain without answers and without tasks of other splits', async () => {
    const task = (split: string) => ({ id: `${split}-1`, split, input: {} }) as Task;
    const open: Domain = { ...domain, tasks: (split) => [task(split)], task: (id) => task(id.split('-')[0] ?? '') };
    const told = (path: string) => drive(new Module(), { ...request(path), domain: open });
    const path = proposing(`
      const { domain } = request;
      const splits = ['weight', 'harness', 'validation', 'test'];
      const ids = splits.flatMap((split) => domain.tasks(split)).map(({ id }) => id);
      return JSON.stringify([ids, splits.map((split) => domain.task(split + '-1')?.id ?? null), domain.seedHarness.length]);`);
    expect((await told(path)).end).toBe(
      JSON.stringify([['harness-1'], [null, 'harness-1', null, null], domain.seedHarness.length]),
    );
    for (const call of ["gold('harness-1')", 'verify({})']) {
      await expect(told(proposing(`request.domain.${call}; yield draft(1);`))).rejects.toThrow('is sealed');
    }
  });

  it('an error that says it is worth trying again stays so', async () => {
    const path = proposing("throw Object.assign(new Error('busy'), { retryable: true });");
    await expect(propose(path)).rejects.toMatchObject({ code: 'PROPOSER_MODULE', retryable: true });
  });

  it('U3: a session ends with its time, whatever the module waits for, and keeps what was written', async () => {
    const path = proposing('yield draft(1); await new Promise(() => {});');
    const { drafts, end } = await propose(path, 1);
    expect(drafts).toHaveLength(1);
    expect(end).toEqual({ reason: 'seconds', message: 'the 1 s of the session are over' });
  });

  it('U3: so it does when the module does not even load', async () => {
    const path = file('never.mts', 'await new Promise(() => {}); export default {};');
    expect((await propose(path, 0.1)).end).toMatchObject({ reason: 'seconds' });
  });

  it('U3: a session ends with its signal, which the module sees too', async () => {
    const abort = new AbortController();
    const path = proposing(`
      yield draft(1);
      await new Promise((_, reject) => session.signal.addEventListener('abort', () => reject(new Error('mine'))));`);
    const generator = new Module().propose(request(path), bareSession(abort.signal));
    await generator.next();
    const next = generator.next(null);
    abort.abort(new Error('stopped'));
    await expect(next).rejects.toThrow('stopped');
  });

  it('is ended once enough drafts are valid, and may tidy up', async () => {
    const path = proposing(`
      try { for (let n = 0; ; n++) yield draft(n); }
      finally { globalThis.whaleTidiedUp = true; }`);
    expect((await propose(path)).drafts).toHaveLength(2);
    expect((globalThis as { whaleTidiedUp?: boolean }).whaleTidiedUp).toBe(true);
  });
});
