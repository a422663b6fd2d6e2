import { phaseNoise, type AcceptanceView, type ExperimentView } from '@whale/experiment-view';
import { percent, plural, points, shortId } from './text.ts';

type Decision = NonNullable<AcceptanceView['decision']>;

/** What the harness searches accepted, and how much of it chance alone would have brought; '' before any search. */
export function searchText(view: ExperimentView): string {
  return [acceptanceLine(view), noiseLine(view)].filter((line) => line !== '').join('\n');
}

/** `31.3% against 25.0%, +6.3 [−27.4, +37.4] on 8 tasks, p = 0.500`: fresh scores, difference in percentage points. */
export function comparison({ challenger, incumbent, paired }: Decision): string {
  const { mean, low, high, p, tasks } = paired;
  if (mean === null || low === null || high === null || p === null) return 'no fresh rollout of both could be measured';
  const scores = `${percent(challenger.fresh.score ?? 0)} against ${percent(incumbent.fresh.score ?? 0)}`;
  return `${scores}, ${points({ mean, low, high })} on ${plural(tasks, 'task')}, p = ${p.toFixed(3)}`;
}

function acceptanceLine({ acceptances }: ExperimentView): string {
  const decisions = acceptances.flatMap(({ decision }) => decision ?? []);
  const last = decisions.at(-1);
  if (!last) return '';
  const accepted = decisions.filter((decision) => decision.accepted).length;
  const verdict = last.accepted ? 'confirmed' : 'refused';
  return (
    `confirmed ${accepted} of ${plural(decisions.length, 'apparent winner')} on fresh rollouts; ` +
    `last ${shortId(last.challenger.harnessId)} (${verdict}):\n          ${comparison(last)}`
  );
}

function noiseLine(view: ExperimentView): string {
  const noises = view.phases
    .flatMap((phase) => phaseNoise(view, phase) ?? [])
    .filter(({ candidates }) => candidates > 0);
  const [first] = noises;
  if (!first) return '';
  const byArgmax = range(noises.map(({ argmax }) => argmax));
  const atMost = first.rule.level < 0.5 ? 'at most ' : '';
  const byConfirmation = `${atMost}${range(noises.map(({ confirm }) => confirm))}`;
  return (
    `noise     a search of identical candidates (A/A) accepts one with a chance of\n` +
    `          ${byArgmax} by arg max, ${byConfirmation} by confirmation`
  );
}

function range(shares: readonly number[]): string {
  const whole = (share: number) => (100 * share).toFixed(0);
  const [low, high] = [whole(Math.min(...shares)), whole(Math.max(...shares))];
  return low === high ? `${low}%` : `${low}–${high}%`;
}
