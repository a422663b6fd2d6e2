import type { CandidatesRequested } from '@whale/contracts';
import type { Facts } from './facts.ts';
import type { ArchiveEntryView, ExperimentView, HarnessView, RejectedView } from './view.ts';

/** Every harness of the archive, in the order of cycle, iteration and index. */
export function archiveView(facts: Facts): ArchiveEntryView[] {
  const proposals = new Map(
    [...facts.iterations].flatMap(([iterationId, { phaseId, iteration }]) =>
      (facts.proposals.get(iterationId) ?? []).map((one) => [`${phaseId}/${iteration}/${one.index}`, one] as const),
    ),
  );
  return facts.evaluations.flatMap(({ data }): ArchiveEntryView[] => {
    if (!data.search) return [];
    const { phaseId, cycle, iteration, index, of } = data.search;
    const scored = facts.scores.get(data.evaluationId);
    const proposal = proposals.get(`${phaseId}/${iteration}/${index}`);
    return [
      {
        evaluationId: data.evaluationId,
        phaseId,
        cycle,
        iteration,
        index,
        of,
        weights: data.weights.version,
        harness: data.harness.id,
        asked: data.taskIds.length * data.rolloutsPerTask,
        done: facts.groups.get(data.evaluationId)?.sums.done ?? 0,
        scored: scored !== undefined,
        score: scored?.score ?? null,
        correct: scored?.correct ?? 0,
        measured: scored?.measured ?? 0,
        outcomes: scored?.outcomes ?? null,
        accepted: facts.incumbents.has(data.evaluationId),
        incumbent: scored?.incumbent ?? null,
        parent: proposal?.parent ?? null,
        hypothesis: proposal?.hypothesis ?? '',
        changes: proposal?.changes ?? [],
        diff: proposal?.diff ?? '',
      },
    ];
  });
}

/** h₀ first, then each proposed harness once, by its first proposal. */
export function harnessViews(facts: Facts): HarnessView[] {
  const harnesses = new Map<string, HarnessView>();
  const seed = facts.started?.harness;
  if (seed) {
    const nothing = { parent: null, hypothesis: null, changes: [], diff: '', cycle: 0, iteration: 0, index: 0 };
    harnesses.set(seed.id, { id: seed.id, ref: seed, ...nothing });
  }
  const proposed = [...facts.proposals].flatMap(([iterationId, list]) => {
    const place = facts.iterations.get(iterationId);
    return list.map((proposal) => ({ proposal, cycle: place?.cycle ?? 0, iteration: place?.iteration ?? 0 }));
  });
  proposed.sort((a, b) => byPlace(a, b) || a.proposal.index - b.proposal.index);
  for (const { proposal, cycle, iteration } of proposed) {
    const { harness, parent, hypothesis, changes, diff, index } = proposal;
    if (harnesses.has(harness.id)) continue;
    harnesses.set(harness.id, {
      id: harness.id,
      ref: harness,
      parent,
      hypothesis,
      changes,
      diff,
      cycle,
      iteration,
      index,
    });
  }
  return [...harnesses.values()];
}

export function rejectedViews(facts: Facts): RejectedView[] {
  return facts.rejections
    .map(({ iterationId, number, parent, hypothesis, stage, message, line }): RejectedView => {
      const place = facts.iterations.get(iterationId);
      const { cycle = 0, iteration = 0 } = place ?? {};
      return { cycle, iteration, number, parent, hypothesis, stage, message, line };
    })
    .sort((a, b) => byPlace(a, b) || a.number - b.number);
}

export function failureMessages(facts: Facts): string[] {
  return facts.proposalFailures
    .map(({ iterationId, attempt, error }) => {
      const place = facts.iterations.get(iterationId);
      const { cycle = 0, iteration = 0 } = place ?? {};
      return { cycle, iteration, attempt, message: error.message };
    })
    .sort((a, b) => byPlace(a, b) || a.attempt - b.attempt)
    .map(
      ({ cycle, iteration, attempt, message }) =>
        `cycle ${cycle}, iteration ${iteration}, attempt ${attempt}: ${message}`,
    );
}

/** The last request for candidates, as long as neither its candidates nor its failure are there. */
export function openProposal(facts: Facts): ExperimentView['proposing'] {
  const request = facts.requests.at(-1);
  if (!request || isAnswered(facts, request)) return null;
  const { cycle, iteration, attempt } = request;
  return { cycle, iteration, attempt };
}

function isAnswered(facts: Facts, { iterationId, attempt }: CandidatesRequested['data']): boolean {
  const proposals = facts.proposals.get(iterationId) ?? [];
  if (proposals.length > 0 && proposals.length >= (proposals[0]?.of ?? 1)) return true;
  return facts.proposalFailures.some((failure) => failure.iterationId === iterationId && failure.attempt === attempt);
}

function byPlace(a: { cycle: number; iteration: number }, b: { cycle: number; iteration: number }): number {
  return a.cycle - b.cycle || a.iteration - b.iteration;
}
