import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventDefinition } from '@whale/contracts';
import { viewOf, type SeenEvent } from './fold.ts';
import { incumbentOf } from './result.ts';
import { phaseNoise } from './noise.ts';
import { summarize } from './summarize.ts';
import { scriptedExperiment, type ScriptedExperiment } from './support/scripted-experiment.ts';

const CONFIRM = { candidates: 3, acceptance: 'confirm', confirm: { rolloutsPerTask: 2, level: 0.5 } } as const;

/** Winners are confirmed, and proposals are audited. */
let experiment: ScriptedExperiment;
let argmax: ScriptedExperiment;
beforeAll(async () => {
  experiment = await scriptedExperiment({ spec: { harness: CONFIRM }, script: { audited: true } });
  argmax = await scriptedExperiment();
});
const view = () => viewOf(experiment.experimentId, experiment.events);
const topicOf = (seen: SeenEvent) => eventDefinition(seen.event.type)?.topic ?? '';

describe('an experiment whose winners are confirmed', () => {
  it('shows each decision, with both totals of both harnesses', () => {
    const { acceptances, archive } = view();
    expect(acceptances.length).toBeGreaterThan(2);
    for (const { decision, challenger, incumbent, asked, done, cycle } of acceptances) {
      expect([decision?.challenger.harnessId, decision?.incumbent.harnessId]).toEqual([challenger, incumbent]);
      expect([asked, done]).toEqual([2 * 10 * 2, 2 * 10 * 2]);
      const entry = archive.find((other) => other.evaluationId === decision?.challenger.evaluationId);
      expect(entry).toMatchObject({ harness: challenger, cycle, score: decision?.challenger.search.score });
      expect(entry?.accepted).toBe(decision?.accepted);
    }
    expect(new Set(acceptances.map(({ decision }) => decision?.accepted))).toEqual(new Set([true, false]));
  });

  it('knows the incumbent of the moment, also between a decision and the next score', () => {
    const known = experiment.events
      .map((_, i) => i)
      .filter((i) => {
        const { event } = experiment.events[i] as SeenEvent;
        return event.type === 'whale.acceptance.decided.v1' || event.type === 'whale.harness.scored.v1';
      });
    for (const i of known) {
      const { event } = experiment.events[i] as SeenEvent;
      const incumbent = incumbentOf(viewOf(experiment.experimentId, experiment.events.slice(0, i + 1)));
      if (event.type === 'whale.harness.scored.v1') expect(incumbent).toBe(event.data.incumbent);
      if (event.type === 'whale.acceptance.decided.v1') {
        const { accepted, challenger, incumbent: before } = event.data;
        expect(incumbent).toBe(accepted ? challenger.harnessId : before.harnessId);
      }
    }
  });

  it('V1 gives the same view for any interleaving of the topics', () => {
    const expected = view();
    const topics = [...new Set(experiment.events.map(topicOf))];
    fc.assert(
      fc.property(fc.shuffledSubarray(topics, { minLength: topics.length }), (order) => {
        const byTopic = order.flatMap((topic) => experiment.events.filter((seen) => topicOf(seen) === topic));
        expect(viewOf(experiment.experimentId, byTopic)).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  it('V3 counts the ledger that the scheduler counts: fresh rollouts, calls, tokens and dollars', () => {
    const others = experiment.events.filter(({ event }) => event.type !== 'whale.experiment.ended.v1');
    const { rollouts, tokens, proposer, done } = viewOf(experiment.experimentId, others).ledger;
    expect({ rollouts, tokens, proposer }).toEqual(experiment.scheduler.ledger);
    expect(done).toEqual(rollouts);
    expect(proposer.usd).toBeGreaterThan(0);
    expect(view().phases.map((phase) => phase.rollouts)).toEqual(
      experiment.scheduler.endedPhases.map((phase) => phase.rollouts),
    );
  });

  it('shows fresh rollouts that are under way', async () => {
    const at = experiment.events.findIndex(({ event }) => event.type === 'whale.confirmation.opened.v1');
    const { open, acceptances } = viewOf(experiment.experimentId, experiment.events.slice(0, at + 1));
    expect(acceptances).toMatchObject([{ decision: null, done: 0, asked: 40 }]);
    expect(open.map(({ purpose, asked }) => [purpose, asked])).toEqual([
      ['harness', 20],
      ['harness', 20],
    ]);
  });

  it('summarizes the statistics of each decision, and how often noise would have been accepted', () => {
    const [one, two] = summarize(view()).cycles;
    const told = [...(one?.harness?.acceptances ?? []), ...(two?.harness?.acceptances ?? [])];
    expect(told.map(({ paired }) => paired)).toEqual(view().acceptances.map(({ decision }) => decision?.paired));
    expect(told[0]).toMatchObject({ paired: { tasks: 10 }, level: 0.5 });
    expect(one?.harness?.noise).toMatchObject({ tasks: 10, rule: { rolloutsPerTask: 2, level: 0.5 } });
  });
});

describe('the A/A rate', () => {
  it('is there for every harness phase with candidates, whatever the acceptance, and for no weight phase', () => {
    for (const { experimentId, events } of [experiment, argmax]) {
      const seen = viewOf(experimentId, events);
      for (const phase of seen.phases) {
        const noise = phaseNoise(seen, phase);
        if (phase.kind === 'weight') {
          expect(noise).toBeNull();
          continue;
        }
        expect(noise?.candidates).toBe(phase.candidates);
        expect(noise?.argmax).toBeGreaterThan(0.4);
        expect(noise?.argmax).toBeLessThan(1);
        expect(noise?.confirm).toBeGreaterThan(0);
        expect(noise?.confirm).toBeLessThan(noise?.argmax as number);
      }
    }
  });

  it('is lower with a level, and goes by all rollouts of the first harness', async () => {
    const spec = { harness: { ...CONFIRM, confirm: { rolloutsPerTask: 2, level: 0.05 } } };
    const strict = await scriptedExperiment({ spec });
    const seen = viewOf(strict.experimentId, strict.events);
    const phase = seen.phases.find(({ kind }) => kind === 'harness');
    if (!phase) throw new Error('no harness phase');
    expect(phaseNoise(seen, phase)?.confirm).toBeLessThan(0.1);
    const measured = seen.firstHarnesses.get(phase.phaseId)?.map((tally) => tally.measured);
    const again = seen.acceptances.filter(
      (one) => one.phaseId === phase.phaseId && one.incumbent === phase.start.harness,
    );
    expect(again.length).toBeGreaterThan(0);
    expect(Math.max(...(measured ?? []))).toBe(1 + 2 * again.length);
  });

  it('is not there before anything was measured', () => {
    const at = argmax.events.findIndex(
      ({ event }) => event.type === 'whale.phase.started.v1' && event.data.kind === 'harness',
    );
    const seen = viewOf(argmax.experimentId, argmax.events.slice(0, at + 1));
    expect(phaseNoise(seen, seen.phases.at(-1) as (typeof seen.phases)[number])).toBeNull();
  });
});
