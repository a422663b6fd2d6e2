import {
  EVENTS,
  type AnyEvent,
  type CandidatesRequested,
  type HarnessProposed,
  type HarnessScored,
} from '@whale/contracts';
import { sha256 } from '@whale/kernel';
import { expect, it } from 'vitest';
import { scriptedExperiment } from '@whale/experiment-view/support';
import { FACT_TOPICS, FACT_TYPES, WorkspaceFacts } from './facts.ts';
import { historyLines } from './history.ts';
import { viewAt, type WorkspacePoint } from './view.ts';

/** The events up to the first request, and what can be made of it. */
async function first() {
  const { events, experimentId } = await scriptedExperiment();
  const all = events.map(({ event }) => event);
  const requested = all.find(({ type }) => type === 'whale.candidates.requested.v2') as CandidatesRequested;
  const proposed = all.find(({ type }) => type === 'whale.harness.proposed.v1') as HarnessProposed;
  const scored = all.find(
    ({ type, data }) => type === 'whale.harness.scored.v1' && (data as HarnessScored['data']).iteration === 1,
  ) as HarnessScored;
  return { before: all.slice(0, all.indexOf(requested)), requested, proposed, scored, experimentId };
}

function historyAt(experimentId: string, events: readonly AnyEvent[], point: WorkspacePoint) {
  const facts = new WorkspaceFacts(experimentId);
  events.forEach((event, i) => facts.take({ id: String(i), event }));
  return historyLines(viewAt(facts, experimentId, point)).filter(({ kind }) => !/^(phase|scored)/.test(kind));
}

it('reads the topics of all events that it uses, effects before causes', () => {
  const used = EVENTS.filter(({ type }) => FACT_TYPES.has(type));
  expect(used.length).toBe(FACT_TYPES.size);
  expect([...new Set(used.map(({ topic }) => topic))].sort()).toEqual([...FACT_TOPICS].sort());
  expect(FACT_TOPICS[0]).toBe('whale.schedule.v1');
});

it('W3 tells at a second attempt what came of the first, and nothing of its own', async () => {
  const { before, requested, proposed, experimentId } = await first();
  const { iterationId } = requested.data;
  const rejected = (number: number): AnyEvent => ({
    type: 'whale.candidate.rejected.v1',
    data: {
      ...{ experimentId, iterationId, number, source: 's', parent: proposed.data.parent, hypothesis: `h${number}` },
      ...{ stage: 'types', message: 'm', line: 1 },
    },
  });
  const failed = (attempt: number): AnyEvent => ({
    type: 'whale.proposal.failed.v1',
    data: { experimentId, iterationId, attempt, final: false, error: { code: 'NO', message: 'm', retryable: true } },
  });
  const second: AnyEvent = { ...requested, data: { ...requested.data, attempt: 2 } };
  const events = [...before, requested, rejected(1), failed(1), second, rejected(13), proposed];
  const short = (lines: ReturnType<typeof historyAt>) =>
    lines.map(({ kind, number, attempt }) => `${kind} ${(number ?? attempt ?? '') as number}`.trim());
  expect(short(historyAt(experimentId, events, 1))).toEqual([]);
  expect(short(historyAt(experimentId, events, 2))).toEqual(['iteration 1', 'rejected 1', 'failed 1']);
  expect(short(historyAt(experimentId, events, { iterationId, attempt: 2 }))).toHaveLength(3);
  expect(short(historyAt(experimentId, events, 'now'))).toEqual([
    ...['iteration 1', 'rejected 1', 'failed 1'],
    ...['iteration 2', 'rejected 13', 'candidate'],
  ]);
});

it('says why a candidate above the incumbent was not accepted, and that it is open while it is', async () => {
  const { before, requested, proposed, scored, experimentId } = await first();
  const { cycle, iteration, iterationId, incumbent, weights } = requested.data;
  const above: HarnessScored = {
    ...scored,
    data: { ...scored.data, harnessId: proposed.data.harness.id, correct: 10, score: 1 },
  };
  const events = [...before, requested, proposed, above];
  const [, open] = historyAt(experimentId, events, 'now');
  expect(open).toMatchObject({ kind: 'candidate', score: 1, accepted: null, why: 'not decided yet' });
  const next: AnyEvent = { ...requested, data: { ...requested.data, iterationId: 'next', iteration: iteration + 1 } };
  const [, beaten] = historyAt(experimentId, [...events, next], 'now');
  expect(beaten).toMatchObject({ accepted: false, why: 'above the incumbent, but not the best of the archive' });
  const side = (harnessId: string, evaluationId: string) => {
    const total = { score: 0.5, correct: 5, measured: 10 };
    const outcomes = {
      correct: 5,
      incorrect: 5,
      truncated: 0,
      harness_error: 0,
      infrastructure_error: 0,
      verifier_error: 0,
    };
    return { harnessId, evaluationId, search: total, fresh: { ...total, outcomes } };
  };
  const decided: AnyEvent = {
    type: 'whale.acceptance.decided.v1',
    data: {
      ...{ experimentId, confirmationId: 'c', phaseId: above.data.phaseId, cycle, iteration },
      ...{ weightsVersion: weights.version, rolloutsPerTask: 1, level: 0.1, accepted: false, reason: 'not-better' },
      challenger: side(above.data.harnessId, above.data.evaluationId),
      incumbent: side(incumbent.id, 'e'),
      paired: { tasks: 10, better: 1, worse: 1, equal: 8, mean: 0, low: -0.1, high: 0.1, p: 0.75 },
    },
  };
  const [, unconfirmed, confirmation] = historyAt(experimentId, [...events, decided, next], 'now');
  expect(unconfirmed?.['why']).toBe('fresh rollouts did not confirm that it is better than the incumbent');
  expect(confirmation).toMatchObject({ kind: 'confirmed', accepted: false, reason: 'not-better', paired: { p: 0.75 } });
  expect(iterationId).not.toBe('next');
});

it('keeps little of a rejected source, and none of the texts that the log has of a proposal', async () => {
  const { before, requested, proposed, experimentId } = await first();
  const facts = new WorkspaceFacts(experimentId);
  const source = 'x'.repeat(10_000_000);
  const data = {
    ...{ experimentId, iterationId: requested.data.iterationId, number: 1, source, parent: 'p' },
    hypothesis: 'h',
  };
  const rejected: AnyEvent = {
    type: 'whale.candidate.rejected.v1',
    data: { ...data, stage: 'size', message: 'too large', line: null },
  };
  [...before, requested, rejected, proposed].forEach((event, i) => facts.take({ id: String(i), event }));
  const kept = JSON.stringify([...facts.setbacks.values(), ...facts.proposals.values()]);
  expect(kept.length).toBeLessThan(80_000);
  expect(kept).toContain('[10000000 characters]');
  expect(sha256(proposed.data.source)).toBe(proposed.data.harness.id);
});
