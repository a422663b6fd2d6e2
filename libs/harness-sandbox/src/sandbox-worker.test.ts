import { Worker } from 'node:worker_threads';
import { spawnTypeScriptWorker } from '@whale/kernel';
import { afterEach, expect, test } from 'vitest';
import { HarnessLimits } from './limits.ts';
import { loadQuickJs } from './load-quickjs.ts';
import { PROGRESS_ROLLOUT, type WorkerData } from './protocol.ts';
import { type EffectHandler, RolloutRun } from './rollout-run.ts';
import { SandboxWorker } from './sandbox-worker.ts';
import { harness } from './testing/sources.ts';

const wasm = await loadQuickJs();
const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** The threads of a SandboxWorker, to be killed from outside as the machine might. */
const threads: Worker[] = [];
let progress = new Int32Array(new SharedArrayBuffer(8));
const spawn = (workerData: WorkerData): Worker => {
  progress = new Int32Array(workerData.progress);
  const thread = spawnTypeScriptWorker(new URL('./worker.ts', import.meta.url), { workerData });
  threads.push(thread);
  return thread;
};
let worker: SandboxWorker | undefined;
afterEach(() => worker?.close());

let number = 1;
const rollout = (source: string, onEffect: EffectHandler): RolloutRun =>
  new RolloutRun(number++, {
    source,
    task: {},
    limits: HarnessLimits.parse({ stepMillis: 20_000, fuel: 1e9 }),
    onEffect,
  });

test('a thread that dies while nothing executes costs nothing', async () => {
  worker = new SandboxWorker(wasm, spawn);
  let deaths = 0;
  const run = rollout(
    harness("for (let i = 0; i < 4; i++) yield* tool('x', { i }); return { answer: 'a' }"),
    async () => {
      if (deaths++ < 3) await threads.at(-1)?.terminate();
      return null;
    },
  );
  worker.add(run);
  const { end, effects } = await run.done;
  expect(end).toEqual({ kind: 'answered', answer: 'a' });
  expect(effects.map(({ effect }) => effect)).toMatchObject([0, 1, 2, 3].map((i) => ({ args: { i } })));
});

test('a rollout under which the thread dies twice is blamed; its siblings are not', async () => {
  worker = new SandboxWorker(wasm, spawn);
  const loop = rollout(harness('for (;;);'), () => null);
  let deliver: (value: unknown) => void = () => {};
  const sibling = rollout(harness("yield* tool('x', {}); return { answer: 'a' }"), () => {
    worker?.add(loop);
    return new Promise((resolve) => (deliver = resolve));
  });
  worker.add(sibling);
  for (let deaths = 0; deaths < 2; deaths++) {
    while (Atomics.load(progress, PROGRESS_ROLLOUT) !== loop.number) await sleep(5);
    await threads.at(-1)?.terminate();
  }
  expect((await loop.done).end).toMatchObject({ kind: 'harness_error', code: 'CRASH' });
  deliver(null);
  expect((await sibling.done).end).toEqual({ kind: 'answered', answer: 'a' });
});

test('threads that never start are an infrastructure error', async () => {
  worker = new SandboxWorker(wasm, () => new Worker('throw new Error("no memory")', { eval: true }));
  const run = rollout(harness("return { answer: 'a' }"), () => null);
  worker.add(run);
  await expect(run.done).rejects.toMatchObject({ code: 'SANDBOX_WORKER', retryable: true });
});
