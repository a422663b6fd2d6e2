import type { RolloutCompleted, TokenSample, WeightUpdateRequested } from '@whale/contracts';
import type { Trainer, UpdateRequest } from '@whale/trainer';
import { describe, expect, it } from 'vitest';
import { samplesKey, samplesOf } from './samples.ts';
import { trainStep } from './train-step.ts';

const blob = (digit: string) => ({ uri: `blob:sha256/${digit.repeat(64)}`, sha256: digit.repeat(64), bytes: 8 });
const sample = (token: number): TokenSample => ({ tokens: [0, token], modelSpans: [[1, 1]] });

const request: WeightUpdateRequested['data'] = {
  experimentId: 'e',
  stepId: 's2',
  attempt: 1,
  step: 2,
  weights: { ...blob('a'), version: 'w1' },
  optimizer: blob('b'),
  produces: 'w2',
  accepted: ['r1', 'r3'],
  rollouts: 4,
  reward: 0.5,
  learningRate: 1e-3,
  batchTokens: 1024,
  seed: 'seed',
  final: false,
};

/** A trainer that notes what it is asked for. */
class RecordingTrainer implements Trainer {
  readonly requests: UpdateRequest[] = [];

  async update(update: UpdateRequest) {
    this.requests.push(update);
    return { weights: blob('c'), optimizer: blob('d'), loss: 0.5, lossTokens: 2, totalTokens: 4, batches: 1 };
  }

  async close(): Promise<void> {}
}

const never = new AbortController().signal;
const stored = (entries: Record<string, TokenSample[]>, stepId = 's2') =>
  new Map<string, unknown>(Object.entries(entries).map(([id, samples]) => [samplesKey('e', stepId, id), { samples }]));

describe('a train step', () => {
  it('trains on the accepted rollouts in the order of the request, and forgets all samples', async () => {
    const trainer = new RecordingTrainer();
    const documents = new Map([
      ...stored({ r3: [sample(3)], r2: [sample(2)], r1: [sample(1)] }),
      ...stored({ r9: [sample(9)] }, 's1'),
    ]);
    const result = await trainStep(request, async () => documents, trainer, never);
    expect(trainer.requests[0]).toMatchObject({
      updateId: 's2',
      samples: [sample(1), sample(3)],
      optimizer: blob('b'),
    });
    expect(result).toMatchObject({
      events: [
        {
          type: 'whale.weights.updated.v2',
          data: {
            previous: 'w1',
            weights: { version: 'w2', ...blob('c') },
            changed: true,
            samples: 2,
            batches: 1,
            loss: 0.5,
            tokens: { trained: 2, processed: 4 },
          },
        },
      ],
    });
    expect('documents' in result && [...(result.documents ?? new Map()).values()]).toEqual([null, null, null, null]);
  });

  it('waits for an accepted rollout that is not here yet', async () => {
    const trainer = new RecordingTrainer();
    const result = await trainStep(request, async () => stored({ r1: [sample(1)] }), trainer, never);
    expect(result).toHaveProperty('deferMilliseconds');
    expect(trainer.requests).toEqual([]);
  });

  it('records an empty S⁺ and changes no weights', async () => {
    const trainer = new RecordingTrainer();
    const result = await trainStep({ ...request, accepted: [] }, async () => new Map(), trainer, never);
    expect(trainer.requests).toEqual([]);
    expect(result).toMatchObject({
      events: [{ data: { changed: false, weights: request.weights, optimizer: request.optimizer, loss: null } }],
    });
  });

  it('changes nothing when the accepted rollouts asked the model for nothing', async () => {
    const trainer = new RecordingTrainer();
    const result = await trainStep(request, async () => stored({ r1: [], r3: [] }), trainer, never);
    expect(trainer.requests).toEqual([]);
    expect(result).toMatchObject({ events: [{ data: { changed: false, samples: 0, batches: 0 } }] });
  });

  it('keeps samples of weight rollouts only', () => {
    const rollout = (purpose: 'weight' | 'evaluation') =>
      ({
        experimentId: 'e',
        rolloutId: 'r',
        group: { id: 's', purpose },
        samples: [sample(1)],
      }) as unknown as RolloutCompleted['data'];
    expect([...samplesOf(rollout('weight')).keys()]).toEqual(['samples/e/s/r']);
    expect(samplesOf(rollout('evaluation')).size).toBe(0);
  });
});
