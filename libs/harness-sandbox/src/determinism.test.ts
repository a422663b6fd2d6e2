import type { Effect } from '@whale/contracts';
import { canonicalHash } from '@whale/kernel';
import { afterAll, describe, expect, test } from 'vitest';
import { HarnessSandbox } from './harness-sandbox.ts';
import type { HarnessRun } from './rollout-run.ts';
import { BUSY, harness, LOOP, NATIVE_BOMB } from './testing/sources.ts';

const sandbox = new HarnessSandbox();
const other = new HarnessSandbox({ workers: 2 });
afterAll(() => Promise.all([sandbox.close(), other.close()]));

const task = { question: 'q' };
const result = (effect: Effect): unknown =>
  effect.type === 'generate' ? { text: `r${effect.messages.length}`, finish: 'stop' } : { text: 'd' };

/** Much of what could differ between two VMs, in one answer: order, sorting, hashing, numbers, stacks, names. */
const ODDS_AND_ENDS = harness(`
  const map = new Map(Array.from({ length: 500 }, (_, i) => ['k' + ((i * 7919) % 500), i]));
  const set = new Set([...map.keys()].sort());
  let stack = '';
  try { null.x } catch (error) { stack = error.stack }
  const big: any[] = [];
  for (let i = 0; i < 20000; i++) big.push({ i, s: 'x' + i });
  const reply = yield* generate([{ role: 'user', content: [...set].join() + stack }]);
  for (let i = 0; i < 200000; i++) big[i % 100].i += Math.sin(i);
  return { answer: JSON.stringify([big.slice(0, 3), reply, Object.getOwnPropertyNames(globalThis), 0.1 + 0.2]) };
`);

const SOURCES: [string, string, object][] = [
  ['an agent loop', LOOP, {}],
  ['a busy one', BUSY, {}],
  ['odds and ends', ODDS_AND_ENDS, { answerBytes: 100_000 }],
  ['out of fuel', harness("yield* tool('x', {}); for (;;);"), { fuel: 300 }],
  ['out of memory', harness("yield* tool('x', {}); const b = []; for (;;) b.push([b.length])"), {}],
  ['an error', harness("yield* tool('x', {}); null.x"), {}],
  ['truncated', harness("for (;;) yield* tool('x', {});"), { effects: 7 }],
  ['no answer', harness("yield* tool('x', {}); return { answer: null }"), {}],
  ['a bad effect', harness("yield* tool('x', {}); yield 5"), {}],
  ['stuck', NATIVE_BOMB, { stepMillis: 150 }],
];

describe('the same source and results give the same run', () => {
  test.each(SOURCES)('%s: fuel, memory, effects and end, on another worker too', async (_name, source, limits) => {
    const run = (on: HarnessSandbox): Promise<HarnessRun> => on.run({ source, task, limits, onEffect: result });
    const [first, second] = await Promise.all([run(other), run(other)]);
    const third = await run(sandbox);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });

  test('fuel counts work', async () => {
    const loops = (n: number): Promise<HarnessRun> =>
      sandbox.run({
        source: harness(`for (let i = 0; i < ${n}; i++); return { answer: 'a' }`),
        task,
        onEffect: result,
      });
    const [small, large] = [await loops(1e6), await loops(4e6)];
    expect(small.fuelUsed).toBeGreaterThan(50);
    expect(large.fuelUsed / small.fuelUsed).toBeCloseTo(4, 1);
  });

  test('memory counts the heap', async () => {
    const run = await sandbox.run({
      source: harness("const kept = new Uint8Array(3e6); yield* tool('x', {}); return { answer: String(kept.length) }"),
      task,
      onEffect: result,
    });
    expect(run.memoryBytes).toBeGreaterThan(3e6);
    expect(run.memoryBytes).toBeLessThan(3.5e6);
  });
});

describe('replay', () => {
  test.each(SOURCES)('%s comes out hash-identical', async (_name, source, limits) => {
    const run = await sandbox.run({ source, task, limits, onEffect: result });
    const recorded = JSON.parse(JSON.stringify(run.effects)) as HarnessRun['effects'];
    const again = await other.replay({ source, task, limits, effects: recorded });
    expect(canonicalHash(again)).toBe(canonicalHash(run));
  });

  test('another harness, another task or a missing effect is told', async () => {
    const { effects } = await sandbox.run({ source: LOOP, task, onEffect: result });
    const replay = (source: string, on: object, recorded: HarnessRun['effects']): Promise<HarnessRun> =>
      sandbox.replay({ source, task: on as never, effects: recorded });
    await expect(replay(LOOP.replace('turn + 1', 'turn + 2'), task, effects)).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
      message: 'effect 2 is not the recorded one',
    });
    await expect(replay(LOOP, { question: 'p' }, effects)).rejects.toMatchObject({ code: 'REPLAY_DIVERGED' });
    await expect(replay(LOOP, task, effects.slice(0, 3))).rejects.toMatchObject({
      message: 'the harness yields effect 4, the record has 3',
    });
    await expect(replay(harness("return { answer: 'early' }"), task, effects)).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
    });
  });
});

test('a VM has nothing that differs from run to run', async () => {
  const names = ['Date', 'Promise', 'WeakRef', 'FinalizationRegistry', 'performance', 'Atomics', 'SharedArrayBuffer'];
  const more = ['eval', 'queueMicrotask', 'setTimeout', 'console', 'process', 'require', 'crypto', 'Intl', '__driver'];
  const { end } = await sandbox.run({
    source: harness(
      `return { answer: [${[...names, ...more, 'Math.random']}].join() }`.replace(
        /\[([^\]]*)\]/,
        (_match, list: string) => `[${list.split(',').map((name) => `typeof ${name}`)}]`,
      ),
    ),
    task,
    onEffect: result,
  });
  expect(end).toMatchObject({ answer: Array.from({ length: 17 }, () => 'undefined').join() });
});
