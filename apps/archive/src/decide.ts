import {
  type AcceptanceDecided,
  measuredRollouts,
  noOutcomes,
  type EvaluationOpened,
  type HarnessScored,
  type IncumbentChanged,
} from '@whale/contracts';
import type { ScoredHarness } from '@whale/schedules';
import type { ArchiveOutput } from './events.ts';
import { incumbentAfter } from './incumbent.ts';
import type { ArchiveState, TaskFact } from './state.ts';

/**
 * Scores candidates. Invariants, each named by a test:
 * A1 A score belongs to a (θ, h) pair and covers each task of D_harness once.
 * A2 Entries are scored in the order in which the scheduler opened them (iteration, then index), whatever the order of
 *    verdicts, so that the arg max with ties to the incumbent is the same on every run.
 * A3 An iteration without valid candidates opens nothing and holds nothing up.
 * A4 Where winners are confirmed, the incumbent changes by the scheduler's decision alone, after the entries that came
 *    before it and ahead of those after it; fresh rollouts enter no score and no entry.
 */
export function decide(state: ArchiveState): readonly ArchiveOutput[] {
  const evaluation = Object.values(state.open)[0];
  const acceptance = state.confirmation?.accepted[0];
  if (acceptance && !(evaluation && isBefore(evaluation, acceptance))) return [accept(state, acceptance)];
  if (!evaluation) return [];
  const facts = state.facts[evaluation.evaluationId] ?? {};
  if (Object.keys(facts).length < evaluation.taskIds.length * evaluation.rolloutsPerTask) return [];
  return score(state, evaluation, facts);
}

function score(
  state: ArchiveState,
  evaluation: EvaluationOpened['data'],
  facts: Readonly<Record<string, TaskFact>>,
): ArchiveOutput[] {
  const { experimentId, evaluationId, weights, harness, taskIds } = evaluation;
  const search = evaluation.search as NonNullable<typeof evaluation.search>;
  const outcomes = noOutcomes();
  const tokens = { prompt: 0, sampled: 0 };
  for (const fact of Object.values(facts)) {
    outcomes[fact.outcome]++;
    tokens.prompt += fact.tokens.prompt;
    tokens.sampled += fact.tokens.sampled;
  }
  const measured = measuredRollouts(outcomes);
  const entry = { harnessId: harness.id, score: measured === 0 ? null : outcomes.correct / measured };
  const before = state.incumbents[search.phaseId] ?? null;
  const incumbent = incumbentAfter(state, search.phaseId, entry);

  const place = new Map(taskIds.map((taskId, i) => [taskId, i]));
  const tasks = Object.entries(facts)
    .map(([rolloutId, { taskId, outcome, diagnostics }]) => ({ taskId, rolloutId, outcome, diagnostics }))
    .sort((a, b) => (place.get(a.taskId) ?? 0) - (place.get(b.taskId) ?? 0) || (a.rolloutId < b.rolloutId ? -1 : 1));
  const scored: HarnessScored = {
    type: 'whale.harness.scored.v1',
    data: {
      experimentId,
      evaluationId,
      phaseId: search.phaseId,
      cycle: search.cycle,
      iteration: search.iteration,
      index: search.index,
      harnessId: harness.id,
      weightsVersion: weights.version,
      score: entry.score,
      correct: outcomes.correct,
      measured,
      outcomes,
      tokens,
      tasks,
      incumbent: incumbent.harnessId,
    },
  };
  if (!before || incumbent.harnessId === before.harnessId || incumbent.score === null) return [scored];
  const { phaseId, cycle, iteration } = search;
  const to = { harnessId: incumbent.harnessId, score: incumbent.score };
  return [scored, incumbentChanged({ experimentId, phaseId, cycle, iteration, evaluationId }, before, to)];
}

function incumbentChanged(
  place: Omit<IncumbentChanged['data'], 'from' | 'to' | 'scores'>,
  from: ScoredHarness,
  to: { harnessId: string; score: number },
): IncumbentChanged {
  return {
    type: 'whale.incumbent.changed.v1',
    data: { ...place, from: from.harnessId, to: to.harnessId, scores: { from: from.score, to: to.score } },
  };
}

/** Opened before the decision, which has been made after all entries of its iteration had a score. */
function isBefore({ search }: EvaluationOpened['data'], { cycle, iteration }: AcceptanceDecided['data']): boolean {
  if (!search || search.cycle !== cycle) return search !== null && search.cycle < cycle;
  return search.iteration <= iteration;
}

function accept(state: ArchiveState, { challenger, ...data }: AcceptanceDecided['data']): IncumbentChanged {
  const { experimentId, phaseId, cycle, iteration } = data;
  const { evaluationId } = challenger;
  const before = state.incumbents[phaseId];
  const entry = state.entries.find((one) => one.evaluationId === evaluationId);
  if (!before || !entry || entry.score === null) {
    throw new Error(`evaluation ${evaluationId} was accepted without a score`);
  }
  const { harnessId, score } = entry;
  return incumbentChanged({ experimentId, phaseId, cycle, iteration, evaluationId }, before, { harnessId, score });
}
