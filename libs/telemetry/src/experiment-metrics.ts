import { metrics, ValueType, type Counter, type Gauge } from '@opentelemetry/api';
import type { AnyEvent, DomainEvent, RolloutVerified } from '@whale/contracts';
import { ATTRIBUTE } from './attributes.ts';

/**
 * What the events say of the experiments. Told by the one service that writes an event, once it is committed: so each is
 * counted once, however many services and processes there are.
 */
export class ExperimentMetrics {
  readonly #rollouts: Counter;
  readonly #ended: Counter;
  readonly #stepReward: Gauge;
  readonly #step: Gauge;
  readonly #score: Gauge;
  readonly #accuracy: Gauge;
  readonly #measured: Gauge;

  constructor() {
    const meter = metrics.getMeter('whale');
    const int = { valueType: ValueType.INT };
    this.#rollouts = meter.createCounter('whale.rollouts', {
      ...int,
      unit: '{rollout}',
      description: 'Rollouts that are over, by outcome and by what they were made for.',
    });
    this.#ended = meter.createCounter('whale.experiments.ended', {
      ...int,
      unit: '{experiment}',
      description: 'Experiments that are over, by status.',
    });
    this.#stepReward = meter.createGauge('whale.step.reward', {
      unit: '1',
      description: 'Mean verifier reward of the last weight step of an experiment.',
    });
    this.#step = meter.createGauge('whale.step.number', {
      ...int,
      unit: '{step}',
      description: 'Number of that step, over the whole experiment.',
    });
    this.#score = meter.createGauge('whale.harness.score', {
      unit: '1',
      description: 'Share of tasks solved by the harness scored last, under the weights of its phase.',
    });
    this.#accuracy = meter.createGauge('whale.evaluation.accuracy', {
      unit: '1',
      description: 'Accuracy of the pair measured last on a split: the mean and its 95% interval.',
    });
    this.#measured = meter.createGauge('whale.evaluation.rollouts', {
      ...int,
      unit: '{rollout}',
      description: 'Rollouts that this accuracy is made of.',
    });
  }

  written(written: DomainEvent): void {
    const event = written as AnyEvent;
    switch (event.type) {
      case 'whale.rollout.verified.v1':
        return this.#rollout(event.data.group, event.data.outcome);
      case 'whale.verification.failed.v1':
        return this.#rollout(event.data.group, 'verifier_error');
      case 'whale.rollout.failed.v1':
        // One that is not final is tried again.
        return event.data.final ? this.#rollout(event.data.group, 'infrastructure_error') : undefined;
      case 'whale.weight-update.requested.v1': {
        const attributes = { [ATTRIBUTE.experiment]: event.data.experimentId };
        this.#stepReward.record(event.data.reward, attributes);
        return this.#step.record(event.data.step, attributes);
      }
      case 'whale.harness.scored.v1':
        if (event.data.score === null) return undefined;
        return this.#score.record(event.data.score, { [ATTRIBUTE.experiment]: event.data.experimentId });
      case 'whale.evaluation.completed.v1': {
        const { experimentId, split, estimate } = event.data;
        if (estimate.n === 0) return undefined;
        const attributes = { [ATTRIBUTE.experiment]: experimentId, [ATTRIBUTE.split]: split };
        for (const bound of ['mean', 'low', 'high'] as const) {
          this.#accuracy.record(estimate[bound], { ...attributes, [ATTRIBUTE.bound]: bound });
        }
        return this.#measured.record(estimate.n, attributes);
      }
      case 'whale.experiment.ended.v1':
        return this.#ended.add(1, { [ATTRIBUTE.status]: event.data.status });
      default:
        return undefined;
    }
  }

  #rollout({ purpose }: RolloutVerified['data']['group'], outcome: RolloutVerified['data']['outcome']): void {
    this.#rollouts.add(1, { [ATTRIBUTE.purpose]: purpose, [ATTRIBUTE.rolloutOutcome]: outcome });
  }
}
