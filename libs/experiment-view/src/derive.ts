import type { Split } from '@whale/contracts';
import { acceptanceViews, firstHarnesses } from './derive-acceptance.ts';
import { archiveView, failureMessages, harnessViews, openProposal, rejectedViews } from './derive-search.ts';
import { phaseViews } from './derive-phases.ts';
import type { Facts } from './facts.ts';
import type { ExperimentStatus, ExperimentView, LedgerView, OpenGroupView, PairView, TaskResult } from './view.ts';

export function deriveView(experimentId: string, facts: Facts): ExperimentView {
  const { started, ended } = facts;
  const end = ended?.data ?? null;
  const phases = phaseViews(facts);
  return {
    experimentId,
    status: statusOf(facts),
    reason: end?.reason ?? null,
    cancelRequested: facts.cancelRequested,
    spec: facts.spec,
    base: started && { weights: started.weights, harness: started.harness },
    splits: started && {
      weight: started.splits.weight.length,
      harness: started.splits.harness.length,
      validation: started.splits.validation.length,
      test: started.splits.test.length,
    },
    phases,
    cyclesEnded: facts.cyclesEnded,
    pairs: pairViews(facts),
    archive: archiveView(facts),
    acceptances: acceptanceViews(facts),
    harnesses: harnessViews(facts),
    rejected: rejectedViews(facts),
    failures: failureMessages(facts),
    open: end ? [] : openGroups(facts),
    proposing: end ? null : openProposal(facts),
    ledger: ledgerView(facts, phases),
    result: end && { base: end.base, best: end.best, bestOnTest: end.bestOnTest },
    tasks: taskResults(facts),
    firstHarnesses: firstHarnesses(facts),
    firstEventAt: facts.firstAt,
    lastEventAt: facts.lastAt,
  };
}

function statusOf(facts: Facts): ExperimentStatus {
  if (facts.ended) return facts.ended.data.status;
  if (facts.started) return 'running';
  return facts.spec ? 'submitted' : 'unknown';
}

function pairViews(facts: Facts): PairView[] {
  const phases = facts.phasesStarted;
  const pairs = new Map<string, PairView>();
  for (const { data, afterPhases, rolloutsBefore } of facts.evaluations) {
    if (data.search) continue;
    const key = `${data.weights.version}/${data.harness.id}`;
    const last = phases[afterPhases - 1]?.data;
    const known = pairs.get(key) ?? {
      weights: data.weights.version,
      harness: data.harness.id,
      cycle: last?.cycle ?? 0,
      after: last?.kind ?? 'base',
      test: null,
      validation: null,
      testOutcomes: null,
      rollouts: rolloutsBefore,
    };
    const done = facts.completed.get(data.evaluationId)?.data;
    if (done && data.split === 'test') Object.assign(known, { test: done.estimate, testOutcomes: done.outcomes });
    if (done && data.split === 'validation') Object.assign(known, { validation: done.estimate });
    pairs.set(key, known);
  }
  return [...pairs.values()];
}

function openGroups(facts: Facts): OpenGroupView[] {
  const open: OpenGroupView[] = [];
  const add = (id: string, purpose: OpenGroupView['purpose'], split: Split, asked: number) => {
    const sums = facts.groups.get(id)?.sums;
    open.push({ id, purpose, split, asked, done: sums?.done ?? 0, correct: sums?.correct ?? 0 });
  };
  for (const { stepId, taskIds, rolloutsPerPrompt } of facts.steps) {
    if (!facts.updateRequests.has(stepId)) add(stepId, 'weight', 'weight', taskIds.length * rolloutsPerPrompt);
  }
  for (const { data } of facts.evaluations) {
    const closed = data.search ? facts.scores.has(data.evaluationId) : facts.completed.has(data.evaluationId);
    if (closed) continue;
    const purpose = data.search ? 'harness' : 'evaluation';
    add(data.evaluationId, purpose, data.split, data.taskIds.length * data.rolloutsPerTask);
  }
  for (const { confirmationId, challenger, incumbent, taskIds, rolloutsPerTask } of facts.confirmations) {
    if (facts.acceptances.has(confirmationId)) continue;
    for (const { groupId } of [challenger, incumbent]) {
      add(groupId, 'harness', 'harness', taskIds.length * rolloutsPerTask);
    }
  }
  return open;
}

function ledgerView(facts: Facts, phases: ExperimentView['phases']): LedgerView {
  const asked = { weight: 0, harness: 0, evaluation: 0 };
  for (const step of facts.steps) asked.weight += step.taskIds.length * step.rolloutsPerPrompt;
  for (const { data } of facts.evaluations) {
    asked[data.search ? 'harness' : 'evaluation'] += data.taskIds.length * data.rolloutsPerTask;
  }
  for (const { taskIds, rolloutsPerTask } of facts.confirmations) asked.harness += 2 * taskIds.length * rolloutsPerTask;
  const done = { weight: 0, harness: 0, evaluation: 0 };
  const tokens = { prompt: 0, sampled: 0, trained: 0, processed: 0 };
  let errors = 0;
  for (const group of facts.groups.values()) {
    done[group.purpose] += group.sums.done;
    tokens.prompt += group.sums.tokens.prompt;
    tokens.sampled += group.sums.tokens.sampled;
    errors += group.errors;
  }
  for (const update of facts.updates.values()) {
    tokens.trained += update.tokens.trained;
    tokens.processed += update.tokens.processed;
  }
  const counted = { rollouts: asked, tokens, proposer: proposerCosts(facts) };
  const seconds = secondsOf(facts, phases);
  const finished = done.weight + done.harness + done.evaluation;
  const rolloutsPerSecond = seconds.total > 0 ? finished / seconds.total : 0;
  return { ...(facts.ended?.data.ledger ?? counted), done, errors, seconds, rolloutsPerSecond };
}

/** An attempt is one call at least; its audit says how many calls of the model it really was. */
function proposerCosts(facts: Facts): LedgerView['proposer'] {
  const costs = { calls: facts.requests.length, tokens: 0, usd: 0 };
  for (const { calls, tokens, usd } of facts.audits.values()) {
    costs.calls += Math.max(0, calls - 1);
    costs.tokens += tokens;
    costs.usd += usd;
  }
  return costs;
}

function secondsOf(facts: Facts, phases: ExperimentView['phases']): LedgerView['seconds'] {
  const of = (kind: 'weight' | 'harness') =>
    phases.filter((phase) => phase.kind === kind).reduce((sum, phase) => sum + phase.seconds, 0);
  const end = facts.ended?.at ?? facts.lastAt ?? 0;
  const spans = facts.evaluations
    .filter(({ data }) => data.search === null)
    .map(({ data, at }) => ({ from: at, to: facts.completed.get(data.evaluationId)?.at ?? end }));
  const total = facts.firstAt === null ? 0 : (end - facts.firstAt) / 1000;
  return { weight: of('weight'), harness: of('harness'), evaluation: covered(spans) / 1000, total };
}

/** Length of the union of spans: test and validation run side by side. */
function covered(spans: readonly { from: number; to: number }[]): number {
  let [length, reached] = [0, -Infinity];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return length;
}

function taskResults(facts: Facts): Map<string, TaskResult[]> {
  const results = new Map<string, TaskResult[]>();
  for (const { data } of facts.evaluations) {
    if (data.search || data.split !== 'test') continue;
    const byTask = facts.groups.get(data.evaluationId)?.byTask;
    const tasks = data.taskIds.flatMap((taskId) => byTask?.get(taskId) ?? []);
    results.set(`${data.weights.version}/${data.harness.id}`, tasks);
  }
  return results;
}
