import type { AnyEvent, ExperimentCancelRequested, ExperimentEnded } from '@whale/contracts';
import { describe, expect, test } from 'vitest';
import { ofType, replay, scriptedRun, type ScriptedRun } from './support/scripted-run.ts';
import { started, type WorldOptions } from './support/scripted-world.ts';
import { confirm, strategies } from './support/strategies.ts';

const fixed = started({ strategy: strategies.fixed });
const ending = (run: Pick<ScriptedRun, 'decided'>): ExperimentEnded['data'] | undefined =>
  ofType(run.decided, 'whale.experiment.ended.v1')[0]?.data;

describe('a rollout that fails', () => {
  test('is asked for again until its attempts are used up, then counted as an infrastructure error and never as a 0', () => {
    const run = scriptedRun(fixed, {
      world: { outcome: (request) => (request.taskId === 'test-0' ? 'infrastructure_error' : 'correct') },
    });
    const requests = ofType(run.decided, 'whale.rollout.requested.v1').filter(({ data }) => data.taskId === 'test-0');
    const attempts = new Map<string, string[]>();
    for (const { data } of requests) {
      attempts.set(data.rolloutId, [
        ...(attempts.get(data.rolloutId) ?? []),
        `${data.attempt}${data.final ? ' final' : ''}`,
      ]);
    }
    for (const asked of attempts.values()) expect(asked).toEqual(['1', '2', '3 final']);
    const [measured] = ofType(run.decided, 'whale.evaluation.completed.v1').filter(({ data }) => data.split === 'test');
    expect(measured?.data.estimate).toMatchObject({ n: 8, mean: 1 });
    expect(measured?.data.outcomes).toMatchObject({ correct: 8, infrastructure_error: 2, incorrect: 0 });
  });

  test('has the same seed in each attempt', () => {
    const run = scriptedRun(fixed, { world: { rolloutFailures: 0.3 } });
    const seeds = new Map<string, Set<string>>();
    for (const { data } of ofType(run.decided, 'whale.rollout.requested.v1')) {
      seeds.set(data.rolloutId, (seeds.get(data.rolloutId) ?? new Set()).add(data.seed));
    }
    expect([...seeds.values()].every((set) => set.size === 1)).toBe(true);
  });

  test('does not lower the reward of its step', () => {
    const run = scriptedRun(fixed, {
      world: {
        outcome: ({ group, sampleIndex }) =>
          group.purpose !== 'weight' ? undefined : sampleIndex === 0 ? 'infrastructure_error' : 'correct',
      },
    });
    for (const { data } of ofType(run.decided, 'whale.weight-update.requested.v1')) {
      expect(data).toMatchObject({ reward: 1, rollouts: 8 });
    }
  });
});

describe('when nothing can be measured the experiment fails and says why', () => {
  test.each([
    ['evaluation', 'no rollout on test could be measured', []],
    ['weight', 'no rollout of weight step 1 could be measured', ['failed']],
    ['harness', /^no rollout of harness [0-9a-f]{64} could be measured$/, ['fixed', 'failed']],
  ] as const)('%s', (purpose, reason, phases) => {
    const run = scriptedRun(fixed, {
      world: { outcome: ({ group }) => (group.purpose === purpose ? 'infrastructure_error' : undefined) },
    });
    expect(ending(run)).toMatchObject({ status: 'failed', reason: expect.stringMatching(reason) as string });
    expect(ofType(run.decided, 'whale.phase.ended.v1').map(({ data }) => data.reason)).toEqual(phases);
    expect(run.scheduler.stage).toEqual({ at: 'ended' });
  });

  test('verifier errors alone count the same', () => {
    const run = scriptedRun(fixed, { world: { outcome: () => 'verifier_error' } });
    expect(ending(run)).toMatchObject({ status: 'failed', base: null, best: null });
  });
});

describe('a weight update that fails', () => {
  test('is asked for again', () => {
    const run = scriptedRun(fixed, { world: { updateFailures: 0.4, seed: 'updates' } });
    const requests = ofType(run.decided, 'whale.weight-update.requested.v1');
    expect(requests.some(({ data }) => data.attempt > 1)).toBe(true);
    expect(ending(run)?.status).toBe('completed');
  });

  test('for good ends the experiment', () => {
    const run = scriptedRun(fixed, { world: { updateFailures: 1 } });
    const requests = ofType(run.decided, 'whale.weight-update.requested.v1');
    expect(requests.map(({ data }) => [data.attempt, data.final])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(ending(run)).toMatchObject({ status: 'failed', reason: 'the weight update failed: no trainer' });
    expect(ending(run)?.base).not.toBeNull();
  });
});

test('a proposal that fails for good makes an iteration without candidates, which counts for budget and patience', () => {
  const iterations = 4;
  const run = scriptedRun(started({ strategy: strategies['harness-only'] }), { world: { proposalFailures: 1 } });
  const requests = ofType(run.decided, 'whale.candidates.requested.v2');
  expect(requests.map(({ data }) => `${data.iteration}/${data.attempt}`)).toEqual(
    Array.from({ length: iterations }, (_, i) => [1, 2, 3].map((attempt) => `${i + 1}/${attempt}`)).flat(),
  );
  expect(ofType(run.decided, 'whale.phase.ended.v1')[0]?.data).toMatchObject({
    reason: 'fixed',
    count: iterations,
    candidates: 0,
    rollouts: 5,
    signal: { waitedIterations: iterations },
  });
  expect(run.scheduler.ledger.proposer.calls).toBe(3 * iterations);
});

describe('a proposer that cannot work', () => {
  const broken = { code: 'API_KEY', message: 'no key', retryable: false };

  test('fails the experiment at once, with what it says: a search that finds nothing would hide it', () => {
    const world = { proposalFailures: 1, proposalError: broken };
    const run = scriptedRun(started({ strategy: strategies['harness-only'] }), { world });
    expect(ofType(run.decided, 'whale.candidates.requested.v2')).toHaveLength(1);
    expect(ending(run)).toMatchObject({ status: 'failed', reason: 'the proposer failed: no key' });
    expect(ofType(run.decided, 'whale.phase.ended.v1')).toMatchObject([{ data: { reason: 'failed', candidates: 0 } }]);
  });

  test.each(['PROPOSER_EXHAUSTED', 'PROPOSER_LIMIT'])(
    'is told from one that has proposed all there is or spent its limits, whose search goes on: %s',
    (code) => {
      const world = { proposalFailures: 1, proposalError: { ...broken, code } };
      const run = scriptedRun(started({ strategy: strategies['harness-only'] }), { world });
      expect(ending(run)).toMatchObject({ status: 'completed' });
    },
  );
});

describe('a request to cancel', () => {
  const cancel: ExperimentCancelRequested = {
    type: 'whale.experiment.cancel-requested.v1',
    data: { experimentId: fixed.data.experimentId, reason: 'enough' },
  };
  const cancelledAfter = (type: AnyEvent['type'], begun = fixed, world: WorldOptions = {}) => {
    let asked = false;
    return scriptedRun(begun, {
      world,
      interrupt: (decided) => {
        if (asked || !decided.some((event) => event.type === type)) return undefined;
        asked = true;
        return { ...cancel, data: { ...cancel.data, experimentId: begun.data.experimentId } };
      },
    });
  };

  test.each([
    'whale.evaluation.opened.v1',
    'whale.weight-step.opened.v1',
    'whale.harness-iteration.opened.v1',
  ] as const)('ends the experiment once after %s', (type) => {
    const run = cancelledAfter(type);
    expect(ofType(run.decided, 'whale.experiment.ended.v1')).toHaveLength(1);
    expect(ending(run)).toMatchObject({ status: 'cancelled', reason: 'enough' });
    const phases = ofType(run.decided, 'whale.phase.ended.v1');
    const begun = ofType(run.decided, 'whale.phase.started.v1');
    expect(phases).toHaveLength(begun.length);
    expect(run.decided.at(-1)?.type).toBe('whale.experiment.ended.v1');
    expect(run.scheduler.facts).toEqual(replay([]).state.facts);
  });

  test('ends it in the middle of a confirmation, and nobody is accepted', () => {
    const begun = started({ strategy: strategies.fixed, ...confirm });
    const run = cancelledAfter('whale.confirmation.opened.v1', begun, {
      outcome: ({ group, harness }) =>
        group.purpose !== 'harness' ? undefined : harness.id === begun.data.harness.id ? 'incorrect' : 'correct',
    });
    expect(ending(run)).toMatchObject({ status: 'cancelled' });
    expect(ofType(run.decided, 'whale.acceptance.decided.v1')).toEqual([]);
    const [opened] = ofType(run.decided, 'whale.confirmation.opened.v1');
    expect(ofType(run.decided, 'whale.phase.ended.v1').at(-1)?.data.harness).toEqual(opened?.data.incumbent.harness);
  });

  test('that comes first ends it as soon as it starts', () => {
    expect(replay([cancel, fixed]).decided.map((event) => event.type)).toEqual(['whale.experiment.ended.v1']);
  });

  test('that comes after the end changes nothing', () => {
    const run = scriptedRun(fixed);
    const { state, decided } = replay([...run.inputs, cancel]);
    expect(decided).toEqual(run.decided);
    expect(state).toEqual(run.scheduler);
  });
});
