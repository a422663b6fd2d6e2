/** A helper thread of GradientPool: batches in, gradients out, at the shared weights. */
import { parentPort, workerData } from 'node:worker_threads';
import { Weights } from '../weights.ts';
import { GradientEngine, type Batch } from './gradient.ts';
import type { HelperData, HelperReply } from './gradient-pool.ts';

const { config, parameters } = workerData as HelperData;
const engine = new GradientEngine(config);
const weights = new Weights(config, new Float32Array(parameters));

parentPort?.on('message', ({ id, batch }: { id: number; batch: Batch }) => {
  let reply: HelperReply;
  try {
    reply = { id, gradient: engine.compute(weights, batch) };
  } catch (error) {
    reply = { id, error: String(error) };
  }
  parentPort?.postMessage(reply);
});
