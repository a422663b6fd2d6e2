import { afterAll, describe, expect, test } from 'vitest';
import { HarnessSandbox } from './harness-sandbox.ts';
import { BUSY, harness, LOOP, NATIVE_BOMB } from './testing/sources.ts';

const sandbox = new HarnessSandbox({ workers: 1 });
afterAll(() => sandbox.close());

const result = (effect: { type: string }): unknown =>
  effect.type === 'generate' ? { text: 'r', finish: 'stop' } : { text: 'd' };
const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));
const run = (source: string, limits = {}) => sandbox.run({ source, task: { question: 'q' }, limits, onEffect: result });

describe('what never comes back by itself', () => {
  test.each([
    ['an endless loop', harness('for (;;);'), 'FUEL'],
    ['an endless loop that catches everything', harness('for (;;) { try { for (;;); } catch {} finally {} }'), 'FUEL'],
    ['an endless getter', harness('return { get answer() { for (;;); } }'), 'FUEL'],
    ['an endless trap of a thrown Proxy', harness('throw new Proxy(new Error("x"), { get() { for (;;); } })'), 'FUEL'],
    ['an endless loop while loading', 'for (;;);', 'FUEL'],
    ['a thousand million numbers', harness('const b = []; for (;;) b.push(new Array(1000).fill(b.length))'), 'MEMORY'],
    ['a gigabyte of text', harness("let s = 'x'.repeat(1e9)"), 'MEMORY'],
    ['a gigabyte of bytes, caught', harness('try { new Uint8Array(1e9) } catch {}\nreturn { answer: "a" }'), 'MEMORY'],
    ['a native search', NATIVE_BOMB, 'WATCHDOG'],
    ['a regular expression', harness('/(a+)+$/.test("a".repeat(40) + "b")'), 'WATCHDOG'],
  ])('%s', async (_name, source, code) => {
    // Neither limit may come before the other by chance: a regular expression uses some fuel too.
    const limits = code === 'WATCHDOG' ? { stepMillis: 300, fuel: 1_000_000 } : { stepMillis: 10_000, fuel: 2000 };
    const { end } = await run(source, limits);
    expect(end).toMatchObject({ kind: 'harness_error', code });
  });

  test('a flood of jobs does not run at all', async () => {
    const flood = harness(`const p = (async () => {})(); const f = () => p.then(f); f(); f(); return { answer: 'a' };`);
    expect((await run(flood)).end).toEqual({ kind: 'answered', answer: 'a' });
  });
});

describe('siblings of a bomb', () => {
  test('beside and behind it they finish correctly, and no effect is asked for twice', async () => {
    const asked: string[] = [];
    const slowly = async (name: string, effect: { type: string }, index: number): Promise<unknown> => {
      asked.push(`${name}:${index}`);
      await sleep(15);
      return result(effect);
    };
    const start = (name: string, source: string, stepMillis = 20_000) =>
      sandbox.run({
        source,
        task: { question: 'q' },
        limits: { stepMillis },
        onEffect: (effect, index) => slowly(name, effect, index),
      });
    const midway = harness(
      `yield* tool('x', {}); yield* tool('x', {});\n${"'a'.repeat(5e6).indexOf('a'.repeat(2e6) + 'b')"}`,
    );
    const siblings = Array.from({ length: 12 }, (_, n) => start(`s${n}`, n % 3 === 0 ? BUSY : LOOP));
    const bombs = [start('b0', midway, 300), start('b1', NATIVE_BOMB, 300)];
    const behind = Array.from({ length: 4 }, (_, n) => start(`q${n}`, LOOP));
    for (const { end } of await Promise.all(bombs)) expect(end).toMatchObject({ code: 'WATCHDOG' });
    for (const { end } of await Promise.all([...siblings, ...behind])) expect(end.kind).toBe('answered');
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.filter((name) => name.startsWith('b0'))).toEqual(['b0:0', 'b0:1']);
  });

  test.each([
    ['before the VM is back', 0],
    ['after the VM is back', 1500],
  ])('an effect in flight while the worker is replaced is delivered when it resolves, %s', async (_name, millis) => {
    let deliver: (value: unknown) => void = () => {};
    let calls = 0;
    const waiting = sandbox.run({
      source: harness("const r = yield* tool('slow', {}); return { answer: r.text }"),
      task: {},
      onEffect: () => {
        calls += 1;
        return new Promise((resolve) => (deliver = resolve));
      },
    });
    const { end } = await run(NATIVE_BOMB, { stepMillis: 200 });
    expect(end).toMatchObject({ code: 'WATCHDOG' });
    await sleep(millis);
    deliver({ text: 'late' });
    expect((await waiting).end).toEqual({ kind: 'answered', answer: 'late' });
    expect(calls).toBe(1);
  });

  test('a result that arrives while the worker is being replaced is not lost', async () => {
    const waiting = sandbox.run({
      source: harness("const r = yield* tool('slow', {}); return { answer: r.text }"),
      task: {},
      onEffect: async () => {
        await sleep(150);
        return { text: 'meanwhile' };
      },
    });
    const bomb = run(NATIVE_BOMB, { stepMillis: 100 });
    expect((await waiting).end).toEqual({ kind: 'answered', answer: 'meanwhile' });
    expect((await bomb).end).toMatchObject({ code: 'WATCHDOG' });
  });
});

test('steps that are all allowed are not allowed ten times over', async () => {
  const native = harness(`
    const a = 'a'.repeat(1000);
    for (;;) {
      for (let i = 0; i < task.rounds; i++) a.indexOf('a'.repeat(500) + 'b');
      yield* tool('x', {});
    }`);
  const start = (rounds: number, limits: object) =>
    sandbox.run({ source: native, task: { rounds }, limits: { fuel: 1e6, ...limits }, onEffect: () => null });
  await start(10, { effects: 1 });
  const before = process.cpuUsage();
  await start(25, { effects: 1, stepMillis: 60_000 });
  const { user, system } = process.cpuUsage(before);
  const millisOfRound = (user + system) / 1000 / 50;
  const { end, effects } = await start(Math.ceil(60 / millisOfRound), { effects: 1000, stepMillis: 200 });
  expect(end).toMatchObject({ code: 'WATCHDOG', message: expect.stringContaining('all steps together used 2000 ms') });
  expect(effects.length).toBeGreaterThan(5);
});

test('a blocked event loop of the host blames nobody', async () => {
  const running = run(BUSY, { stepMillis: 2000 });
  await sleep(30);
  const until = performance.now() + 2500;
  while (performance.now() < until);
  expect((await running).end.kind).toBe('answered');
});
