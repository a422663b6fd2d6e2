import type { WeightsUpdated, WeightUpdateRequested } from '@whale/contracts';
import type { WorkResult } from '@whale/service-kit';
import type { Trainer } from '@whale/trainer';
import { samplesKey, samplesPrefix, type StoredSamples } from './samples.ts';

/** How long to wait for rollouts that are on the log but not here yet. */
const WAIT_MS = 50;

/**
 * One SFT pass over S⁺. An empty S⁺ is recorded and changes no weights. The same request gives the same weights, so a
 * second attempt after a kill is harmless.
 */
export async function trainStep(
  request: WeightUpdateRequested['data'],
  documentsUnder: (prefix: string) => Promise<ReadonlyMap<string, unknown>>,
  trainer: Trainer,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { experimentId, stepId, step, weights, optimizer, accepted } = request;
  // Steps follow one another, so whatever belongs to an earlier step is left over and goes as well.
  const stored = await documentsUnder(samplesPrefix(experimentId));
  const forget = new Map([...stored.keys()].map((key) => [key, null]));
  const event = (data: Omit<WeightsUpdated['data'], 'experimentId' | 'stepId' | 'step' | 'previous'>): WorkResult => ({
    events: [
      {
        type: 'whale.weights.updated.v2',
        data: { experimentId, stepId, step, previous: weights.version, ...data },
      },
    ],
    documents: forget,
  });
  const unchanged = (): WorkResult =>
    event({
      weights,
      changed: false,
      optimizer,
      samples: 0,
      batches: 0,
      loss: null,
      tokens: { trained: 0, processed: 0 },
    });
  if (accepted.length === 0) return unchanged();

  const found = accepted.map(
    (rolloutId) => stored.get(samplesKey(experimentId, stepId, rolloutId)) as StoredSamples | undefined,
  );
  if (found.some((entry) => entry === undefined)) return { deferMilliseconds: WAIT_MS };
  const samples = found.flatMap((entry) => entry?.samples ?? []);
  // A harness may answer without asking the model: nothing to learn from.
  if (samples.length === 0) return unchanged();

  const { version: _version, ...blob } = weights;
  const result = await trainer.update(
    {
      updateId: stepId,
      weights: blob,
      optimizer,
      samples,
      learningRate: request.learningRate,
      batchTokens: request.batchTokens,
      seed: request.seed,
    },
    undefined,
    signal,
  );
  return event({
    weights: { ...result.weights, version: request.produces },
    changed: true,
    optimizer: result.optimizer,
    samples: samples.length,
    batches: result.batches,
    loss: result.loss,
    tokens: { trained: result.lossTokens, processed: result.totalTokens },
  });
}
