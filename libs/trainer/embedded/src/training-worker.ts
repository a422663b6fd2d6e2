/** The training thread: one update after the other; between two gradient batches it hears an abort. */
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { decodeWeights, encodeWeights, loadTokenizer } from '@whale/embedded-lm';
import { Adam, GradientPool, sftPass, toExample } from '@whale/embedded-lm/training';
import { describeError, WhaleError } from '@whale/kernel';
import type { FromWorker, PassResult, ToWorker, WorkerOptions } from './protocol.ts';

type Update = Extract<ToWorker, { type: 'update' }>;

const { threads } = workerData as WorkerOptions;
const tokenizer = await loadTokenizer();
/** Compiled shapes and helper threads are kept for the next update of the same model sizes. */
const pools = new Map<string, GradientPool>();
const aborted = new Set<number>();
let last: Promise<void> = Promise.resolve();

const say = (message: FromWorker, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer);

async function update({
  id,
  weights,
  optimizer,
  samples,
  learningRate,
  batchTokens,
  seed,
}: Update): Promise<PassResult> {
  const start = decodeWeights(weights, tokenizer.hash);
  const { config } = start;
  const examples = samples.map((sample, i) => toExample(sample, config, `sample ${i}`));
  const sizes = JSON.stringify(config);
  const pool = pools.get(sizes) ?? new GradientPool(config, threads);
  pools.set(sizes, pool);
  pool.weights.data.set(start.data);
  const adam = optimizer === null ? new Adam(config) : Adam.decode(optimizer, config);
  const pass = await sftPass(pool, adam, {
    examples,
    learningRate,
    batchTokens,
    seed,
    async onBatch(progress) {
      say({ type: 'progress', id, ...progress });
      await setImmediate();
      if (aborted.has(id)) throw new WhaleError('TRAINER_ABORTED', 'the update was aborted');
    },
  });
  return {
    ...pass,
    weights: encodeWeights(pool.weights, tokenizer.hash, 'f32'),
    optimizer: adam.encode(tokenizer.hash),
  };
}

async function answer(request: Update): Promise<void> {
  const { id } = request;
  try {
    if (aborted.has(id)) throw new WhaleError('TRAINER_ABORTED', 'the update was aborted');
    const result = await update(request);
    say({ type: 'done', id, result }, [result.weights.buffer as ArrayBuffer, result.optimizer.buffer as ArrayBuffer]);
  } catch (error) {
    say({ type: 'failed', id, error: describeError(error) });
  }
  aborted.delete(id);
}

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'abort') aborted.add(message.id);
  else last = last.then(() => answer(message));
});
