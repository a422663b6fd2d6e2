import type { AnyEvent, ProposalStep, WeightsUpdated } from '@whale/contracts';
import { pairOf, type ExperimentView } from '@whale/experiment-view';
import { scheduleOf } from '@whale/schedules';
import { comparison } from '../print/search.ts';
import { accuracy, endReason, oneLine, percent, plural, shortId } from '../print/text.ts';

export interface Milestone {
  text: string;
  tone: 'strong' | 'good' | 'bad' | 'plain' | 'dim';
  /** Shown by the live display in another way already. */
  quiet?: boolean;
}

/** What a person should read of one event, in the light of the view that it belongs to; null for most events. */
export function milestone(event: AnyEvent, view: ExperimentView): Milestone | null {
  switch (event.type) {
    case 'whale.experiment.started.v1': {
      const { weight, harness, validation, test } = event.data.splits;
      const sizes = `${weight.length} weight, ${harness.length} harness, ${validation.length} validation, ${test.length} test`;
      return { text: `started: ${event.data.spec.strategy.kind}, tasks ${sizes}`, tone: 'dim' };
    }
    case 'whale.phase.started.v1': {
      const { cycle, kind, maximum } = event.data;
      const what = kind === 'weight' ? plural(maximum, 'prompt') : plural(maximum, 'iteration');
      const bound = view.spec && scheduleOf(view.spec.strategy).kind === 'adaptive' ? 'at most ' : '';
      return { text: `cycle ${cycle}: ${kind} phase, ${bound}${what}`, tone: 'strong' };
    }
    case 'whale.weights.updated.v2':
      return step(event.data, view);
    case 'whale.weight-update.failed.v1':
      return { text: `weight update failed: ${oneLine(event.data.error.message)}`, tone: 'bad' };
    case 'whale.harness.scored.v1':
    case 'whale.incumbent.changed.v1':
      return scored(event, view);
    case 'whale.confirmation.opened.v1': {
      const { challenger, taskIds, rolloutsPerTask } = event.data;
      const rollouts = plural(2 * taskIds.length * rolloutsPerTask, 'fresh rollout');
      return {
        text: `${shortId(challenger.harness.id)} is the apparent winner: ${rollouts} to confirm it`,
        tone: 'dim',
      };
    }
    case 'whale.acceptance.decided.v1': {
      const { accepted, challenger, reason } = event.data;
      const id = shortId(challenger.harnessId);
      if (accepted) return { text: `✓ confirmed ${id} on fresh rollouts: ${comparison(event.data)}`, tone: 'good' };
      return { text: `· not confirmed ${id} (${reason}) on fresh rollouts: ${comparison(event.data)}`, tone: 'plain' };
    }
    case 'whale.candidate.rejected.v1': {
      const { stage, line, message } = event.data;
      const where = line === null ? stage : `${stage}, line ${line}`;
      return { text: `✗ candidate rejected (${where}): ${oneLine(message, 100)}`, tone: 'bad' };
    }
    case 'whale.proposal.audited.v1':
      return shortBatch(event.data.step);
    case 'whale.proposal.failed.v1':
      return { text: `no candidate came of the request: ${oneLine(event.data.error.message)}`, tone: 'bad' };
    case 'whale.evaluation.completed.v1': {
      const { split, weightsVersion, harnessId, estimate } = event.data;
      const pair = pairOf(view, { weights: weightsVersion, harness: harnessId });
      const when =
        pair?.after === 'base'
          ? 'the base pair'
          : `after the ${pair?.after ?? ''} phase of cycle ${pair?.cycle ?? '?'}`;
      return { text: `${split} accuracy ${accuracy(estimate)}, ${when}`, tone: split === 'test' ? 'good' : 'plain' };
    }
    case 'whale.phase.ended.v1': {
      const { cycle, kind, count, reason, signal, candidates } = event.data;
      const done =
        kind === 'weight' ? plural(count, 'step') : `${plural(count, 'iteration')}, ${plural(candidates, 'candidate')}`;
      return { text: `cycle ${cycle}: ${kind} phase over after ${done}: ${endReason(reason, signal)}`, tone: 'plain' };
    }
    case 'whale.rollout.failed.v1':
      if (!event.data.final) return null;
      return {
        text: `a rollout of ${event.data.taskId} failed for good: ${oneLine(event.data.error.message)}`,
        tone: 'bad',
      };
    case 'whale.verification.failed.v1':
      return {
        text: `a rollout of ${event.data.taskId} could not be judged: ${oneLine(event.data.error.message)}`,
        tone: 'bad',
      };
    case 'whale.experiment.ended.v1':
      return {
        text: `${event.data.status}: ${event.data.reason}`,
        tone: event.data.status === 'completed' ? 'plain' : 'bad',
      };
    default:
      return null;
  }
}

function step({ stepId, step, loss, changed, weights }: WeightsUpdated['data'], view: ExperimentView): Milestone {
  const done = view.phases.flatMap((phase) => phase.steps).find((other) => other.stepId === stepId);
  const reward = done?.reward === null || done === undefined ? '' : `reward ${done.reward.toFixed(3)}, `;
  const accepted = `${done?.accepted ?? '?'} of ${done?.asked ?? '?'} rollouts accepted`;
  const outcome = changed
    ? `loss ${loss?.toFixed(3) ?? '–'}, now ${weights.version}`
    : 'nothing to train on, weights stay';
  return { text: `step ${step}: ${reward}${accepted}, ${outcome}`, tone: 'plain', quiet: true };
}

/** That nothing came of a request is told by its failure. */
function shortBatch(step: ProposalStep): Milestone | null {
  if (step.kind !== 'ended' || step.valid === 0 || step.valid >= step.wanted) return null;
  const { reason, message, wanted, written, valid } = step;
  const stopped = reason === 'finished' ? '' : `, stopped (${reason})`;
  const said = message === null ? '' : `: ${oneLine(message, 100)}`;
  return { text: `only ${valid} of ${plural(wanted, 'candidate')}, ${written} written${stopped}${said}`, tone: 'bad' };
}

function scored(
  event: Extract<AnyEvent, { type: 'whale.harness.scored.v1' | 'whale.incumbent.changed.v1' }>,
  view: ExperimentView,
): Milestone | null {
  const entry = view.archive.find((other) => other.evaluationId === event.data.evaluationId);
  const about = entry?.hypothesis ? ` · ${oneLine(entry.hypothesis, 90)}` : '';
  if (event.type === 'whale.incumbent.changed.v1') {
    const { from, to } = event.data.scores;
    const before = from === null ? 'nothing measured' : percent(from);
    return { text: `✓ accepted ${shortId(event.data.to)}: ${before} → ${percent(to)}${about}`, tone: 'good' };
  }
  const { harnessId, score, iteration } = event.data;
  const result = score === null ? 'nothing measured' : percent(score);
  if (iteration === 0) return { text: `the search starts from ${shortId(harnessId)}: ${result}`, tone: 'dim' };
  // The acceptance tells the score too.
  if (entry?.accepted) return null;
  const kept = view.archive.find(
    (other) => other.harness === event.data.incumbent && other.phaseId === event.data.phaseId,
  );
  const standing = view.spec?.harness.acceptance === 'confirm' ? 'incumbent' : 'best stays';
  const best = kept?.score == null ? '' : `, ${standing} ${percent(kept.score)}`;
  return { text: `· candidate ${shortId(harnessId)}: ${result}${best}${about}`, tone: 'dim' };
}
