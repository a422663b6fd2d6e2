/** A sampling thread: requests come one by one and leave when they are done; between two tokens it listens. */
import { parentPort, workerData } from 'node:worker_threads';
import { decodeWeights, Generator, loadTokenizer, type SampleResult } from '@whale/embedded-lm';
import { describeError } from '@whale/kernel';
import type { FromWorker, ToWorker, WorkerOptions } from './protocol.ts';

const options = workerData as WorkerOptions;
const tokenizer = await loadTokenizer();
const generators = new Map<string, Generator>();
const generatorOf = new Map<string, Generator>();
const broken = new Map<string, unknown>();
const cancels = new Map<number, () => void>();
let pumping = false;

const say = (message: FromWorker) => parentPort?.postMessage(message);

/** One generator for each set of model sizes; in practice there is one. */
function load(key: string, bytes: Uint8Array): void {
  try {
    const weights = decodeWeights(bytes, tokenizer.hash);
    const sizes = JSON.stringify(weights.config);
    const generator = generators.get(sizes) ?? new Generator(weights.config, tokenizer, options);
    generators.set(sizes, generator);
    generator.load(key, weights);
    generatorOf.set(key, generator);
    broken.delete(key);
  } catch (error) {
    broken.set(key, error);
  }
}

function generate(message: Extract<ToWorker, { type: 'generate' }>): void {
  const { id, key, request } = message;
  const generator = generatorOf.get(key);
  const error = broken.get(key);
  if (error !== undefined) {
    broken.delete(key);
    say({ type: 'failed', id, error: describeError(error) });
    return;
  }
  if (generator === undefined || !generator.has(key)) {
    say({ type: 'missing', id });
    return;
  }
  const done = (result: SampleResult) => {
    cancels.delete(id);
    say({ type: 'done', id, result });
  };
  try {
    cancels.set(id, () => generator.cancel(done));
    generator.submit(key, request, done);
  } catch (cause) {
    cancels.delete(id);
    say({ type: 'failed', id, error: describeError(cause) });
  }
  if (!pumping) {
    pumping = true;
    setImmediate(pump);
  }
}

function pump(): void {
  let busy = false;
  for (const generator of generators.values()) {
    if (!generator.idle) generator.step();
    busy ||= !generator.idle;
  }
  pumping = busy;
  if (busy) setImmediate(pump);
}

parentPort?.on('message', (message: ToWorker) => {
  if (message.type === 'load') load(message.key, message.bytes);
  else if (message.type === 'generate') generate(message);
  else {
    cancels.get(message.id)?.();
    cancels.delete(message.id);
  }
});
