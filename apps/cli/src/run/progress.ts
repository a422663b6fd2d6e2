import type { ExperimentView, PhaseView } from '@whale/experiment-view';
import { scheduleOf } from '@whale/schedules';

export interface Progress {
  /** `weight phase of cycle 1`, `evaluation`, … */
  label: string;
  /** What is being done within it. */
  detail: string;
  /** Names the thing that the fraction belongs to. */
  key: string;
  /** Done so far in [0, 1]; null where nothing can be said. */
  fraction: number | null;
  /** The end is a bound that may not be reached. */
  atMost: boolean;
}

/** Where an experiment stands at the moment. */
export function progressOf(view: ExperimentView): Progress {
  const evaluations = view.open.filter((group) => group.purpose === 'evaluation');
  if (evaluations.length > 0) {
    const asked = evaluations.reduce((sum, group) => sum + group.asked, 0);
    const done = evaluations.reduce((sum, group) => sum + group.done, 0);
    const splits = evaluations.map((group) => group.split).join(' and ');
    const key = evaluations.map((group) => group.id).join();
    return {
      label: `evaluation on ${splits}`,
      detail: `${done}/${asked} rollouts`,
      key,
      fraction: done / asked,
      atMost: false,
    };
  }
  const phase = view.phases.at(-1);
  if (phase && !phase.end) return phase.kind === 'weight' ? weightProgress(view, phase) : harnessProgress(view, phase);
  return {
    label: view.status === 'running' ? 'between phases' : view.status,
    detail: '',
    key: '',
    fraction: null,
    atMost: false,
  };
}

function weightProgress(view: ExperimentView, phase: PhaseView): Progress {
  const step = phase.steps.at(-1);
  // Training takes a part of a step too; a step counts fully when its weights are there.
  const prompts = phase.steps.reduce(
    (sum, { prompts, stage, done, asked }) => sum + prompts * (stage === 'done' ? 1 : 0.8 * (done / asked)),
    0,
  );
  const detail =
    step === undefined
      ? ''
      : step.stage === 'rollouts'
        ? `step ${step.step}: ${step.done}/${step.asked} rollouts`
        : `step ${step.step}: training on ${step.accepted ?? 0} accepted`;
  return {
    label: `cycle ${phase.cycle}, weight phase`,
    detail,
    key: phase.phaseId,
    fraction: Math.min(1, prompts / phase.maximum),
    atMost: isBound(view),
  };
}

/** Patience may end a phase before its maximum. */
function isBound({ spec }: ExperimentView): boolean {
  return spec !== null && scheduleOf(spec.strategy).kind === 'adaptive';
}

function harnessProgress(view: ExperimentView, phase: PhaseView): Progress {
  const tasks = view.splits?.harness ?? 1;
  const planned = tasks * (1 + phase.maximum * (view.spec?.harness.candidates ?? 1));
  const entries = view.archive.filter((entry) => entry.phaseId === phase.phaseId);
  const done = entries.reduce((sum, entry) => sum + entry.done, 0);
  const open = entries.filter((entry) => !entry.scored);
  const detail =
    view.proposing !== null
      ? `iteration ${view.proposing.iteration}: writing candidates`
      : open.length > 0
        ? `iteration ${open[0]?.iteration ?? 0}: scoring ${open.length === 1 ? 'a harness' : `${open.length} harnesses`}`
        : view.acceptances.at(-1)?.decision === null
          ? `iteration ${phase.iterations}: confirming the apparent winner`
          : `iteration ${phase.iterations}`;
  return {
    label: `cycle ${phase.cycle}, harness phase`,
    detail,
    key: phase.phaseId,
    fraction: Math.min(1, done / planned),
    atMost: isBound(view),
  };
}

/** Time left and speed, from what was seen since the display began. `now` in ms. */
export class Pace {
  #key = '';
  #from = { at: 0, fraction: 0 };
  readonly #counts: { at: number; done: number }[] = [];

  /** Seconds left of what `progress` is about; null while it is too early to say. */
  left(progress: Progress, now: number): number | null {
    const { key, fraction } = progress;
    if (fraction === null) return null;
    if (key !== this.#key) {
      this.#key = key;
      this.#from = { at: now, fraction };
    }
    const gained = fraction - this.#from.fraction;
    const seconds = (now - this.#from.at) / 1000;
    if (gained < 0.02 || seconds < 1) return null;
    return ((1 - fraction) / gained) * seconds;
  }

  /** Rollouts a second over the last ten seconds. */
  rate(done: number, now: number): number {
    this.#counts.push({ at: now, done });
    while (this.#counts.length > 2 && (this.#counts[0]?.at ?? now) < now - 10_000) this.#counts.shift();
    const first = this.#counts[0];
    if (!first || now - first.at < 500) return 0;
    return (1000 * (done - first.done)) / (now - first.at);
  }
}
