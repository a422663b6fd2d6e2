import type { WeightStepOpened } from '@whale/contracts';
import type { Facts, Timed } from './facts.ts';
import type { PhaseView, StepView } from './view.ts';
import type { PhaseStarted } from '@whale/contracts';

export function phaseViews(facts: Facts): PhaseView[] {
  let rollouts = 0;
  return facts.phasesStarted.map((started) => {
    const phase = phaseView(facts, started, rollouts);
    rollouts = phase.rolloutsTo;
    return phase;
  });
}

function phaseView(facts: Facts, { data, at }: Timed<PhaseStarted['data']>, rolloutsFrom: number): PhaseView {
  const ended = facts.phasesEnded.get(data.phaseId);
  const opened = facts.steps.filter((step) => step.phaseId === data.phaseId);
  const searches = facts.evaluations.filter((evaluation) => evaluation.data.search?.phaseId === data.phaseId);
  const confirmations = facts.confirmations.filter((one) => one.phaseId === data.phaseId);
  const iterations = [...facts.iterations.values()].filter((iteration) => iteration.phaseId === data.phaseId).length;
  const rollouts =
    opened.reduce((sum, step) => sum + step.taskIds.length * step.rolloutsPerPrompt, 0) +
    searches.reduce((sum, search) => sum + search.data.taskIds.length * search.data.rolloutsPerTask, 0) +
    confirmations.reduce((sum, one) => sum + 2 * one.taskIds.length * one.rolloutsPerTask, 0);
  const prompts = opened.reduce((sum, step) => sum + step.taskIds.length, 0);
  const end = ended?.at ?? facts.ended?.at ?? facts.lastAt ?? at;
  return {
    phaseId: data.phaseId,
    cycle: data.cycle,
    kind: data.kind,
    start: { weights: data.weights.version, harness: data.harness.id },
    end: ended ? { weights: ended.data.weights.version, harness: ended.data.harness.id } : null,
    maximum: data.maximum,
    steps: opened.map((step) => stepView(facts, step)),
    iterations,
    candidates: searches.filter((search) => search.data.search?.iteration !== 0).length,
    rollouts,
    epochs: prompts / (facts.started?.splits.weight.length ?? Infinity),
    endReason: ended?.data.reason ?? null,
    signal: ended?.data.signal ?? {},
    rolloutsFrom,
    rolloutsTo: rolloutsFrom + rollouts,
    seconds: Math.max(0, end - at) / 1000,
  };
}

function stepView(facts: Facts, step: WeightStepOpened['data']): StepView {
  const request = facts.updateRequests.get(step.stepId);
  const update = facts.updates.get(step.stepId);
  const stage = update ? 'done' : request ? 'training' : 'rollouts';
  return {
    stepId: step.stepId,
    step: step.step,
    prompts: step.taskIds.length,
    asked: step.taskIds.length * step.rolloutsPerPrompt,
    done: facts.groups.get(step.stepId)?.sums.done ?? 0,
    stage,
    reward: request?.reward ?? null,
    accepted: request?.accepted.length ?? null,
    loss: update?.loss ?? null,
    weights: update?.weights.version ?? null,
    changed: update?.changed ?? false,
  };
}
