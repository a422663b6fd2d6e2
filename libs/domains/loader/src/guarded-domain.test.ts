import { setTimeout as sleep } from 'node:timers/promises';
import { MOST_RESULT_BYTES, type Domain, type Task } from '@whale/domain-api';
import { describe, expect, it } from 'vitest';
import { checkShape } from './check-shape.ts';
import { guardedDomain } from './guarded-domain.ts';

const LIMITS = { loadMs: 60_000, toolMs: 60_000, verifyMs: 60_000 };
const task: Task = { id: 'weight', split: 'weight', input: {} };
const found = (id: string) => ({ id, split: id, input: {} }) as Task;
const bare: Domain = {
  name: 'mine',
  dataset: 'd',
  tasks: (split) => [found(split)],
  task: found,
  tools: () => ({ call: () => null }),
  verify: () => ({ reward: 0, diagnostics: {} }),
  gold: () => ['x'],
  seedHarness: '',
  components: [],
  diagnostics: {},
  description: '',
  harnessTypes: '',
};

/** What a user's module may give, whatever the types say. */
type Loose = { [name in keyof Domain]?: unknown };
const guarded = (given: Loose, limits = LIMITS) => {
  const parts = checkShape(bare, 'mine');
  return guardedDomain({ ...bare, ...given } as Domain, parts, limits);
};
const verdict = (given: unknown) => verify(() => given);
const verify = async (own: () => unknown, limits = LIMITS) =>
  guarded({ verify: own }, limits).verify({ task, end: { kind: 'answered', answer: 'x' }, trajectory: [] });
const call = async (own: () => unknown, limits = LIMITS) =>
  guarded({ tools: () => ({ call: own }) }, limits)
    .tools(task)
    .call('search', {});

describe('a guarded domain', () => {
  it.each<[string, unknown, string]>([
    ['true', { reward: true, diagnostics: {} }, 'reward must be 0 or 1, not true'],
    ['2', { reward: 2, diagnostics: {} }, 'reward must be 0 or 1, not 2'],
    ['a text', { reward: '1', diagnostics: {} }, "reward must be 0 or 1, not '1'"],
    ['NaN', { reward: NaN, diagnostics: {} }, 'reward must be 0 or 1, not NaN'],
    ['no diagnostics', { reward: 1 }, 'diagnostics must be an object, not undefined'],
    ['no verdict', undefined, 'it must be an object, not undefined'],
    [
      'a diagnostic that is NaN',
      { reward: 1, diagnostics: { hops: NaN } },
      'diagnostics.hops must be true, false, a finite number or a text, not NaN',
    ],
    [
      'a diagnostic that is no value',
      { reward: 1, diagnostics: { hops: [1] } },
      'diagnostics.hops must be true, false, a finite number or a text, not [ 1 ]',
    ],
  ])('G1: a verdict of %s is an error that names task and value', async (_, given, message) => {
    await expect(verdict(given)).rejects.toMatchObject({
      code: 'DOMAIN_SHAPE',
      retryable: false,
      message: `verify() of mine/d, task weight: ${message}`,
    });
  });

  it('G1: tasks, gold and tools are looked at each time', () => {
    const broken = guarded({ task: () => ({}), gold: () => 'x', tools: () => ({}) });
    expect(() => broken.task('t')).toThrow('task() of mine/d, task t: id must be "t", not undefined');
    expect(() => broken.gold('t')).toThrow("gold() of mine/d, task t: it must be a list, not 'x'");
    expect(() => broken.tools(task)).toThrow(
      'tools() of mine/d, task weight: it must be an object with a function call',
    );
    expect(guarded({ task: () => undefined }).task('t')).toBeUndefined();
  });

  it('G1: what fits is given on as the object that it is', async () => {
    const own = { id: 'weight', split: 'weight', input: {}, key: 'x' };
    class Tools {
      readonly #answer = 7;
      call() {
        return this.#answer;
      }
    }
    const domain = guarded({ task: () => own, tools: () => new Tools() });
    expect(domain.task('weight')).toBe(own);
    expect(await domain.tools(task).call('search', {})).toBe(7);
    expect(await verdict({ reward: 1, diagnostics: { format: true } })).toEqual({
      reward: 1,
      diagnostics: { format: true },
    });
  });

  it('G2: a verdict or a tool that never comes is given up, and may be tried again', async () => {
    const never = () => new Promise(() => undefined);
    const soon = { ...LIMITS, toolMs: 20, verifyMs: 30 };
    await expect(verify(never, soon)).rejects.toMatchObject({
      code: 'DOMAIN_TIMEOUT',
      retryable: true,
      message: 'verify() of mine/d, task weight has given nothing for 30 ms (WHALE_VERIFY_TIMEOUT_MS)',
    });
    await expect(call(never, soon)).rejects.toMatchObject({
      code: 'DOMAIN_TIMEOUT',
      retryable: true,
      message: 'the tool search of mine/d, task weight has given nothing for 20 ms (WHALE_TOOL_TIMEOUT_MS)',
    });
  });

  it('G2: what comes too late is dropped, be it a result or a throw', async () => {
    const late = async (result: () => unknown) => {
      await sleep(50);
      return result();
    };
    const soon = { ...LIMITS, toolMs: 10 };
    const boom = () => {
      throw new Error('too late');
    };
    for (const result of [() => 1, boom]) {
      await expect(call(() => late(result), soon)).rejects.toMatchObject({ code: 'DOMAIN_TIMEOUT' });
    }
    // An unhandled rejection would fail the test file.
    await sleep(80);
  });

  it.each<[string, unknown, string, boolean]>([
    ['an error', new Error('no disk'), 'no disk', false],
    ['one that may be tried again', Object.assign(new Error('busy'), { retryable: true }), 'busy', true],
    ['null', null, 'null', false],
    ['a text', 'boom', 'boom', false],
  ])('G3: a throw of %s names the task', async (_, thrown, said, retryable) => {
    const boom = () => {
      throw thrown;
    };
    const fault = (who: string) => ({ code: 'DOMAIN_THREW', retryable, message: `${who} threw: ${said}` });
    await expect(verify(boom)).rejects.toMatchObject(fault('verify() of mine/d, task weight'));
    await expect(call(boom)).rejects.toMatchObject(fault('the tool search of mine/d, task weight'));
    expect(() => guarded({ gold: boom }).gold('t')).toThrow(
      expect.objectContaining(fault('gold() of mine/d, task t')) as Error,
    );
  });

  it('G4: a harness gets the JSON of a result, or an error where it is too large', async () => {
    const result = { hits: [1, { 'ä"': '\u0000' }], none: undefined, at: new Date(0) };
    expect(await call(() => result)).toEqual({ hits: [1, { 'ä"': '\u0000' }], at: '1970-01-01T00:00:00.000Z' });
    const fits = 'x'.repeat(MOST_RESULT_BYTES - 2);
    expect(await call(() => fits)).toBe(fits);
    const error = 'the result has more than the 1048576 bytes of JSON that are allowed';
    const pair = { ä: 'ä'.repeat(MOST_RESULT_BYTES / 2) };
    for (const large of [`${fits}x`, pair, new Array(MOST_RESULT_BYTES).fill(null)]) {
      expect(await call(() => large)).toEqual({ error });
    }
  });

  it('G4: what is far too large costs nothing', async () => {
    const huge = 'x'.repeat(100_000_000);
    const before = performance.now();
    for (let i = 0; i < 100; i++) await call(() => ({ hits: [huge] }));
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('G4: what has no JSON is an error that names the tool', async () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    for (const result of [undefined, () => 1, loop, 1n]) {
      await expect(call(() => result)).rejects.toMatchObject({
        code: 'DOMAIN_SHAPE',
        message: expect.stringContaining('the tool search of mine/d, task weight: its result is no JSON: ') as string,
      });
    }
  });
});
