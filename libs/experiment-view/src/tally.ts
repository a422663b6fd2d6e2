import {
  isMeasured,
  type Outcome,
  type RolloutFailed,
  type RolloutVerified,
  type TokenCounts,
  type VerificationFailed,
} from '@whale/contracts';
import type { TaskResult } from './view.ts';

const NO_TOKENS: TokenCounts = { prompt: 0, sampled: 0 };

interface RolloutFact {
  rolloutId: string;
  taskId: string;
  sampleIndex: number;
  outcome: Outcome;
  tokens: TokenCounts;
}

export interface TallySums {
  done: number;
  correct: number;
  measured: number;
  tokens: TokenCounts;
}

/** The rollouts of one group by id. A verdict stands above a failure of an earlier attempt, whichever comes first. */
export class RolloutTally {
  readonly purpose: 'weight' | 'harness' | 'evaluation';
  readonly #rollouts = new Map<string, RolloutFact>();
  #errors = 0;
  #sums: TallySums | null = null;
  #byTask: ReadonlyMap<string, TaskResult> | null = null;

  constructor(purpose: RolloutTally['purpose']) {
    this.purpose = purpose;
  }

  take(event: RolloutVerified | VerificationFailed | RolloutFailed): void {
    const { rolloutId, taskId, sampleIndex } = event.data;
    if (event.type === 'whale.rollout.failed.v1') {
      this.#errors++;
      if (!event.data.final || this.#rollouts.has(rolloutId)) return;
      this.#put({ rolloutId, taskId, sampleIndex, outcome: 'infrastructure_error', tokens: NO_TOKENS });
      return;
    }
    const verified = event.type === 'whale.rollout.verified.v1';
    if (!verified) this.#errors++;
    const outcome = verified ? event.data.outcome : 'verifier_error';
    this.#put({ rolloutId, taskId, sampleIndex, outcome, tokens: event.data.tokens });
  }

  /** Failed attempts and failed verifications. */
  get errors(): number {
    return this.#errors;
  }

  get sums(): TallySums {
    return (this.#sums ??= this.#add());
  }

  /** How each task went, its rollouts by sample. */
  get byTask(): ReadonlyMap<string, TaskResult> {
    return (this.#byTask ??= this.#group());
  }

  #put(fact: RolloutFact): void {
    this.#rollouts.set(fact.rolloutId, fact);
    this.#sums = null;
    this.#byTask = null;
  }

  #add(): TallySums {
    const sums = { done: this.#rollouts.size, correct: 0, measured: 0, tokens: { prompt: 0, sampled: 0 } };
    for (const { outcome, tokens } of this.#rollouts.values()) {
      if (outcome === 'correct') sums.correct++;
      if (isMeasured(outcome)) sums.measured++;
      sums.tokens.prompt += tokens.prompt;
      sums.tokens.sampled += tokens.sampled;
    }
    return sums;
  }

  #group(): Map<string, TaskResult> {
    const tasks = new Map<string, RolloutFact[]>();
    for (const rollout of this.#rollouts.values()) {
      const list = tasks.get(rollout.taskId);
      if (list) list.push(rollout);
      else tasks.set(rollout.taskId, [rollout]);
    }
    return new Map(
      [...tasks].map(([taskId, list]) => {
        const samples = list
          .map(({ rolloutId, sampleIndex, outcome }) => ({ rolloutId, sampleIndex, outcome }))
          .sort((a, b) => a.sampleIndex - b.sampleIndex);
        const correct = samples.filter((sample) => sample.outcome === 'correct').length;
        const measured = samples.filter((sample) => isMeasured(sample.outcome)).length;
        return [taskId, { taskId, correct, measured, samples }];
      }),
    );
  }
}
