import type { Effect } from '@whale/contracts';
import type { Task } from '@whale/domain-api';
import type { HarnessSandbox } from '@whale/harness-sandbox';
import { InputError, type JsonValue } from '@whale/kernel';
import type { Trial, TriedEffect } from '@whale/proposers';
import type { View } from '../batch.ts';
import { ROLLOUT_LIMITS } from '../rollout-limits.ts';
import { promptKey, recordedReplies, type Recordings, type Replies } from './recorded-replies.ts';

/** Tasks of one call. */
const MOST_TASKS = 16;

class Unrecorded extends Error {}

export interface TrialParts {
  sandbox: Pick<HarnessSandbox, 'run'>;
  recordings: Recordings;
}

/**
 * Tries a source out without a rollout: tools are live, and the model's replies are those that the archive's rollouts of
 * the task have recorded for exactly the same messages. A trial ends where nothing is recorded.
 */
export class Trials {
  readonly #view: View;
  readonly #parts: TrialParts;
  readonly #signal: AbortSignal;
  readonly #replies = new Map<string, Promise<Replies>>();

  constructor(view: View, parts: TrialParts, signal: AbortSignal) {
    this.#view = view;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Throws InputError for a task that is not of D_harness, and for too many. */
  async tryOut(source: string, taskIds: readonly string[]): Promise<Trial[]> {
    if (taskIds.length > MOST_TASKS) throw new InputError(`${taskIds.length} tasks at once; at most ${MOST_TASKS}`);
    const tasks = taskIds.map((id) => this.#taskOf(id));
    const trials: Trial[] = [];
    for (const task of tasks) trials.push(await this.#tryOn(task, source));
    return trials;
  }

  #taskOf(id: string): Task {
    const task = this.#view.domain.task(id);
    if (task?.split === 'harness') return task;
    throw new InputError(`there is no task ${id} in D_harness: outcomes.jsonl names those that there are`);
  }

  async #tryOn(task: Task, source: string): Promise<Trial> {
    const replies = await this.#repliesOf(task.id);
    const tools = this.#view.domain.tools(task);
    const tried: TriedEffect[] = [];
    const answer = async (effect: Effect): Promise<JsonValue> => {
      if (effect.type === 'tool') {
        const result = await tools.call(effect.name, effect.args as Record<string, JsonValue>);
        tried.push({ effect: effect as JsonValue, result, from: 'tool' });
        return result;
      }
      const recorded = replies.get(promptKey(effect));
      const from = recorded === undefined ? 'nothing' : 'recorded';
      tried.push({ effect: effect as unknown as JsonValue, result: (recorded ?? null) as JsonValue, from });
      if (recorded === undefined) throw new Unrecorded();
      return recorded as JsonValue;
    };
    const end = await this.#run(source, task, answer);
    return { taskId: task.id, effects: tried, end };
  }

  async #run(source: string, task: Task, onEffect: (effect: Effect) => Promise<JsonValue>): Promise<JsonValue> {
    const run = { source, task: { ...task.input }, limits: ROLLOUT_LIMITS, onEffect, signal: this.#signal };
    try {
      return { ...(await this.#parts.sandbox.run(run)).end };
    } catch (error) {
      if (!(error instanceof Unrecorded)) throw error;
      return { kind: 'unrecorded', message: 'no rollout of this task has sent the model these messages' };
    }
  }

  #repliesOf(taskId: string): Promise<Replies> {
    const { archive, request } = this.#view;
    let replies = this.#replies.get(taskId);
    if (replies === undefined) {
      replies = recordedReplies(taskId, archive, request.weights.version, this.#parts.recordings, this.#signal);
      this.#replies.set(taskId, replies);
      replies.catch(() => this.#replies.delete(taskId));
    }
    return replies;
  }
}
