import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventDefinition, type RolloutVerified } from '@whale/contracts';
import { scriptedExperiment, type ScriptedExperiment } from './support/scripted-experiment.ts';
import { phaseGains } from './gains.ts';
import { viewOf, type SeenEvent } from './fold.ts';
import { provisionalResult } from './result.ts';
import { showcase } from './showcase.ts';
import { summarize } from './summarize.ts';

let experiment: ScriptedExperiment;
beforeAll(async () => {
  experiment = await scriptedExperiment();
});

const view = () => viewOf(experiment.experimentId, experiment.events);
const topicOf = (seen: SeenEvent) => eventDefinition(seen.event.type)?.topic ?? '';

describe('the fold', () => {
  it('V1 gives the same view for any interleaving of the topics, V2 under any duplicates', () => {
    const expected = view();
    const topics = [...new Set(experiment.events.map(topicOf))];
    const streams = topics.map((topic) => experiment.events.filter((seen) => topicOf(seen) === topic));
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.nat({ max: 9 })), (choices, repeats) => {
        const left = streams.map((events) => [...events]);
        const merged: SeenEvent[] = [];
        for (;;) {
          const open = left.filter((events) => events.length > 0);
          if (open.length === 0) break;
          const stream = open[(choices.next().value as number) % open.length];
          merged.push(stream?.shift() as SeenEvent);
          if (repeats.next().value === 0) merged.push(merged[Math.floor(merged.length / 2)] as SeenEvent);
        }
        expect(viewOf(experiment.experimentId, merged)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('V3 counts the ledger that the scheduler counts', () => {
    const ended = experiment.events.find((seen) => seen.event.type === 'whale.experiment.ended.v1');
    const others = experiment.events.filter((seen) => seen !== ended);
    const { rollouts, tokens, proposer, done } = viewOf(experiment.experimentId, others).ledger;
    expect({ rollouts, tokens, proposer }).toEqual(experiment.scheduler.ledger);
    expect(done).toEqual(rollouts);
    const { rolloutsPerSecond, seconds } = view().ledger;
    expect(rolloutsPerSecond * seconds.total).toBeCloseTo(rollouts.weight + rollouts.harness + rollouts.evaluation);
  });

  it('V4 ignores events of other experiments', async () => {
    const other = await scriptedExperiment({ spec: { seed: 2 } });
    expect(other.experimentId).not.toBe(experiment.experimentId);
    expect(viewOf(experiment.experimentId, [...other.events, ...experiment.events])).toEqual(view());
  });

  it('agrees with the scheduler on phases, pairs and the result', () => {
    const { phases, pairs, status, result } = view();
    expect(status).toBe('completed');
    expect(phases.map(({ cycle, kind, endReason }) => [cycle, kind, endReason])).toEqual([
      [1, 'weight', 'fixed'],
      [1, 'harness', 'fixed'],
      [2, 'weight', 'fixed'],
      [2, 'harness', 'fixed'],
    ]);
    const ended = experiment.scheduler.endedPhases;
    expect(phases.map(({ rollouts, epochs }) => ({ rollouts, epochs }))).toEqual(
      ended.map(({ rollouts, epochs }) => ({ rollouts, epochs })),
    );
    expect(phases.map((phase) => phase.steps.length || phase.iterations)).toEqual(ended.map((phase) => phase.count));
    expect(phases.map((phase) => phase.candidates)).toEqual(ended.map((phase) => phase.candidates));
    expect(pairs.map(({ cycle, weights, harness }) => ({ cycle, weights, harness }))).toEqual(
      experiment.scheduler.pairs,
    );
    expect(provisionalResult({ ...view(), result: null })).toEqual(result);
  });

  it('agrees with the archive on scores and incumbents', () => {
    const { archive } = view();
    const scored = archive.map(({ evaluationId, score, incumbent }) => ({ evaluationId, score, incumbent }));
    expect(scored).toEqual(
      experiment.archive.entries.map(({ evaluationId, score, incumbent }) => ({ evaluationId, score, incumbent })),
    );
    expect(archive.filter((entry) => entry.accepted).every((entry) => entry.incumbent === entry.harness)).toBe(true);
    expect(archive.some((entry) => entry.accepted)).toBe(true);
  });

  it('shows what is under way', async () => {
    const part = await scriptedExperiment({ stopAfter: 150 });
    const { status, open, ledger, result } = viewOf(part.experimentId, part.events);
    expect([status, result]).toEqual(['running', null]);
    expect(open.length).toBeGreaterThan(0);
    expect(open.every((group) => group.done <= group.asked)).toBe(true);
    expect(ledger.done.evaluation).toBe(open.reduce((sum, group) => sum + group.done, 0));
  });

  it('V1 lets a verdict stand above a final failure of the same rollout, whichever comes first', () => {
    const verified = experiment.events.find((seen) => seen.event.type === 'whale.rollout.verified.v1') as SeenEvent;
    const { experimentId, rolloutId, group, taskId, sampleIndex } = verified.event.data as RolloutVerified['data'];
    const error = { code: 'LATE', message: 'late', retryable: false };
    const data = { experimentId, rolloutId, attempt: 3, final: true, group, taskId, sampleIndex, error };
    const failed: SeenEvent = { id: 'late', time: verified.time, event: { type: 'whale.rollout.failed.v1', data } };
    const before = viewOf(experimentId, [failed, ...experiment.events]);
    expect(viewOf(experimentId, [...experiment.events, failed])).toEqual(before);
    expect(before.tasks).toEqual(view().tasks);
    expect(before.ledger).toEqual({ ...view().ledger, errors: view().ledger.errors + 1 });
  });

  it('knows each rollout of each test task', () => {
    const { tasks, pairs, spec } = view();
    for (const pair of pairs) {
      const results = tasks.get(`${pair.weights}/${pair.harness}`) ?? [];
      expect(results.length).toBe(12);
      expect(results.every((task) => task.samples.length === spec?.evaluation.rolloutsPerTask)).toBe(true);
      const correct = results.reduce((sum, task) => sum + task.correct, 0);
      const measured = results.reduce((sum, task) => sum + task.measured, 0);
      expect(pair.test).toMatchObject({ mean: correct / measured, n: measured });
    }
  });
});

describe('what is made of the view', () => {
  it('says what each phase brought, so that the gains add up to the whole', () => {
    const gains = phaseGains(view());
    const pairs = view().pairs;
    const sum = gains.reduce((total, gain) => total + (gain.brought?.mean ?? NaN), 0);
    expect(sum).toBeCloseTo((pairs.at(-1)?.test?.mean ?? 0) - (pairs[0]?.test?.mean ?? 0), 10);
    for (const { brought } of gains) {
      expect(brought && brought.low <= brought.mean && brought.mean <= brought.high).toBe(true);
    }
  });

  it('finds a task that turned from wrong to right', () => {
    const { result } = view();
    const found = showcase(view(), result?.base as never, result?.best as never);
    expect(found).not.toBeNull();
    expect((found?.before.correct ?? 1) / (found?.before.measured ?? 1)).toBeLessThan(0.5);
    expect((found?.after.correct ?? 0) / (found?.after.measured ?? 1)).toBeGreaterThan(0.5);
    const outcomes = new Map(
      experiment.events.flatMap(({ event }) =>
        event.type === 'whale.rollout.verified.v1' ? [[event.data.rolloutId, event.data] as const] : [],
      ),
    );
    expect(outcomes.get(found?.before.rolloutId ?? '')).toMatchObject({ reward: 0, taskId: found?.taskId });
    expect(outcomes.get(found?.after.rolloutId ?? '')).toMatchObject({ reward: 1, taskId: found?.taskId });
  });

  it('summarizes as `show --json` promises', () => {
    const summary = summarize(view(), 'abc');
    expect(Object.keys(summary)).toEqual(
      expect.arrayContaining(['experimentId', 'spec', 'status', 'base', 'best', 'bestOnTest', 'cycles', 'ledger']),
    );
    expect(summary.stateHash).toBe('abc');
    expect(summary.best).toMatchObject({ chosenOn: 'validation' });
    expect(summary.cycles).toHaveLength(2);
    expect(summary.cycles[0]).toMatchObject({
      k: 1,
      weight: { steps: 3, epochs: 1, rollouts: 48, endReason: 'fixed' },
      harness: { iterations: 2, candidates: 6, rollouts: 70, endReason: 'fixed' },
    });
    expect(summary.ledger.seconds.total).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
  });
});
