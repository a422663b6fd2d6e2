import type { RolloutCompleted } from '@whale/contracts';
import type { Task } from '@whale/domain-api';
import { fromRecords, type HarnessChecker, type HarnessSandbox, type RecordedRollout } from '@whale/harness-sandbox';
import { canonicalHash, sha256 } from '@whale/kernel';
import type { ArchiveEntry, WorkspaceSource } from '@whale/proposers';
import type { View } from '../batch.ts';
import { ROLLOUT_LIMITS } from '../rollout-limits.ts';

/** Rollouts of a harness that are read first: most candidates differ in one of them. */
const FIRST_LOOK = 2;

export interface BehaviourParts {
  checker: Pick<HarnessChecker, 'behavesLike'>;
  sandbox: Pick<HarnessSandbox, 'run'>;
  recordings: Pick<WorkspaceSource, 'rollouts'>;
}

type Kept = Pick<RolloutCompleted['data'], 'taskId' | 'effects' | 'end'>;

/**
 * Compares what programs do on D_harness, without asking the model:
 * - with a harness that has a score, on the effects of its own rollouts: who does the same would be measured the same;
 * - with a candidate of the batch, which has none, on what the incumbent's rollouts have recorded.
 * Where no rollout is on the log nothing is the same.
 */
export class Behaviour {
  readonly #view: View;
  readonly #parts: BehaviourParts;
  readonly #signal: AbortSignal;
  readonly #read = new Map<string, Kept | null>();
  /** Of the batch, by what they do. */
  readonly #mates = new Map<string, string>();
  /** By source: a draft is compared, then taken, and was perhaps checked before. */
  readonly #traces = new Map<string, Promise<string | null>>();

  constructor(view: View, parts: BehaviourParts, signal: AbortSignal) {
    this.#view = view;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Id of a scored harness that does the same. */
  async sameAsScored(source: string): Promise<string | null> {
    const entries = this.#scored();
    await this.#load(entries.flatMap((entry) => idsOf(entry).slice(0, FIRST_LOOK)));
    for (const entry of entries) {
      const ids = idsOf(entry);
      if (!(await this.#behavesLike(source, ids.slice(0, FIRST_LOOK)))) continue;
      await this.#load(ids);
      if (await this.#behavesLike(source, ids)) return entry.harnessId;
    }
    return null;
  }

  /** Name of a candidate of the batch that does the same. */
  async sameAsMate(source: string): Promise<string | null> {
    const trace = await this.#traceOf(source);
    return trace === null ? null : (this.#mates.get(trace) ?? null);
  }

  /** From now on the source is of the batch. */
  async take(source: string, name: string): Promise<void> {
    const trace = await this.#traceOf(source);
    if (trace !== null) this.#mates.set(trace, name);
  }

  /** One entry for each harness that has a score under the present θ. */
  #scored(): ArchiveEntry[] {
    const { archive, request } = this.#view;
    const present = archive.filter((entry) => entry.weightsVersion === request.weights.version);
    return [...new Map(present.map((entry) => [entry.harnessId, entry])).values()];
  }

  #behavesLike(source: string, rolloutIds: readonly string[]): Promise<boolean> {
    return this.#parts.checker.behavesLike(
      source,
      rolloutIds.flatMap((id) => this.#recorded(id)),
    );
  }

  #recorded(rolloutId: string): RecordedRollout[] {
    const rollout = this.#read.get(rolloutId);
    const task = rollout ? this.#taskOf(rollout.taskId) : undefined;
    if (!rollout || !task) return [];
    return [{ task: { ...task.input }, limits: ROLLOUT_LIMITS, effects: rollout.effects, end: rollout.end }];
  }

  #traceOf(source: string): Promise<string | null> {
    const id = sha256(source);
    let trace = this.#traces.get(id);
    if (trace === undefined) {
      trace = this.#makeTrace(source);
      this.#traces.set(id, trace);
      trace.catch(() => this.#traces.delete(id));
    }
    return trace;
  }

  /** What the source does with the results of the incumbent's rollouts; null without any. */
  async #makeTrace(source: string): Promise<string | null> {
    const entry = this.#scored().find(({ harnessId }) => harnessId === this.#view.incumbent.id);
    const ids = entry === undefined ? [] : idsOf(entry);
    await this.#load(ids);
    const runs: unknown[] = [];
    for (const recorded of ids.flatMap((id) => this.#recorded(id))) runs.push(await this.#runOn(source, recorded));
    return runs.length === 0 ? null : canonicalHash(runs);
  }

  async #runOn(source: string, { task, limits, effects: records }: RecordedRollout): Promise<unknown> {
    const input = { source, task, limits, onEffect: fromRecords(records), signal: this.#signal };
    const { effects, end } = await this.#parts.sandbox.run(input);
    // Of an error its kind: lines and wording are of the source.
    return [effects.map(({ effect }) => effect), end.kind === 'harness_error' ? end.code : end];
  }

  #taskOf(id: string): Task | undefined {
    const task = this.#view.domain.task(id);
    return task?.split === 'harness' ? task : undefined;
  }

  async #load(rolloutIds: readonly string[]): Promise<void> {
    const wanted = new Set(rolloutIds.filter((id) => !this.#read.has(id)));
    if (wanted.size === 0) return;
    for (const id of wanted) this.#read.set(id, null);
    for await (const rollout of this.#parts.recordings.rollouts(wanted, this.#signal)) {
      const { taskId, effects, end } = rollout;
      this.#read.set(rollout.rolloutId, { taskId, effects, end });
    }
  }
}

function idsOf({ tasks }: ArchiveEntry): string[] {
  return tasks.map(({ rolloutId }) => rolloutId);
}
