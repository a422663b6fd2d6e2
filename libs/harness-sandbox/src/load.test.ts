import { afterAll, expect, test } from 'vitest';
import { HarnessSandbox } from './harness-sandbox.ts';
import { harness, LOOP } from './testing/sources.ts';

const sandbox = new HarnessSandbox({ workers: 1, maxLive: 256 });
afterAll(() => sandbox.close());

const result = (effect: { type: string }): unknown =>
  effect.type === 'generate' ? { text: 'r', finish: 'stop' } : { text: 'd' };

test('200 VMs alive at once in one worker, none mixed up with another', async () => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  let waiting = 0;
  const runs = Array.from({ length: 200 }, (_, n) =>
    sandbox.run({
      source: harness("const r = yield* tool('id', { id: task.id }); return { answer: task.id + ':' + r.id }"),
      task: { id: n },
      onEffect: async (effect) => {
        if (++waiting === 200) open();
        await gate;
        return { id: effect.type === 'tool' ? effect.args.id : null };
      },
    }),
  );
  const ends = (await Promise.all(runs)).map(({ end }) => end);
  expect(ends).toEqual(ends.map((_, n) => ({ kind: 'answered', answer: `${n}:${n}` })));
});

test('past maxLive, runs wait in line', async () => {
  const narrow = new HarnessSandbox({ maxLive: 4 });
  let open: () => void = () => {};
  const four = new Promise<void>((resolve) => (open = resolve));
  let live = 0;
  let most = 0;
  const runs = Array.from({ length: 20 }, () =>
    narrow.run({
      source: harness("yield* tool('x', {}); return { answer: 'a' }"),
      task: {},
      onEffect: async () => {
        most = Math.max(most, ++live);
        if (live === 4) open();
        await four;
        await new Promise((resolve) => setTimeout(resolve, 20));
        live -= 1;
        return null;
      },
    }),
  );
  for (const { end } of await Promise.all(runs)) expect(end.kind).toBe('answered');
  expect(most).toBe(4);
  await narrow.close();
});

test('finished VMs are freed', async () => {
  const batch = (): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 100 }, () => sandbox.run({ source: LOOP, task: { question: 'q' }, onEffect: result })),
    );
  await batch();
  await batch();
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 6; n++) await batch();
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
});
