import type { Outcome } from '@whale/contracts';
import { canonicalHash } from '@whale/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asStreams, ofType, scriptedRun, type ScriptedRun } from './support/scripted-run.ts';
import { started } from './support/scripted-world.ts';
import { confirm, contested, strategies, troubled } from './support/strategies.ts';

const { fixed, adaptive } = strategies;
const seed = fc.string({ minLength: 1, maxLength: 8 });
const phaseEnds = (run: ScriptedRun) => ofType(run.decided, 'whale.phase.ended.v1').map((event) => event.data);

test.each(Object.entries(strategies))('%s runs its phases to the end', (kind, strategy) => {
  const run = scriptedRun(started({ strategy }));
  const kinds = phaseEnds(run).map((phase) => phase.kind);
  const expected = {
    fixed: 'whwh',
    adaptive: 'whwh',
    'weight-only': 'w',
    'harness-only': 'h',
    stagewise: 'wh',
    'prompt-only': 'whwh',
  };
  expect(kinds.map((phase) => phase[0]).join('')).toBe(expected[kind as keyof typeof expected]);
  const [end] = ofType(run.decided, 'whale.experiment.ended.v1');
  expect(end?.data).toMatchObject({ status: 'completed', reason: 'all phases done' });
  expect(end?.data.base?.test.n).toBe(10);
  expect(ofType(run.decided, 'whale.cycle.ended.v1').map((event) => event.data.cycle)).toEqual(
    kinds.length === 4 ? [1, 2] : [1],
  );
});

test('only prompt-only asks for candidates that change nothing but prompts', () => {
  for (const [kind, strategy] of Object.entries(strategies)) {
    const requests = ofType(scriptedRun(started({ strategy })).decided, 'whale.candidates.requested.v2');
    expect(new Set(requests.map(({ data }) => data.promptsOnly))).toEqual(
      new Set(kind === 'weight-only' ? [] : [kind === 'prompt-only']),
    );
  }
});

test('S2: within a phase one side is frozen', () => {
  fc.assert(
    fc.property(seed, (world) => {
      const run = scriptedRun(started({ strategy: fixed, ...confirm }), { world: contested(world) });
      const ends = new Map(phaseEnds(run).map((phase) => [phase.phaseId, phase]));
      let phase: { kind: string; weights: string; harness: string } | null = null;
      for (const { type, data } of run.decided) {
        if (type === 'whale.phase.started.v1') {
          phase = { kind: data.kind, weights: data.weights.version, harness: data.harness.id };
          const end = ends.get(data.phaseId);
          if (data.kind === 'weight') expect(end?.harness.id).toBe(data.harness.id);
          else expect(end?.weights).toEqual(data.weights);
        }
        if (type === 'whale.phase.ended.v1') phase = null;
        if (type === 'whale.weight-step.opened.v1') expect(data.harness.id).toBe(phase?.harness);
        if (type === 'whale.confirmation.opened.v1') expect(data.weights.version).toBe(phase?.weights);
        if (type === 'whale.evaluation.opened.v1' && data.search) expect(data.weights.version).toBe(phase?.weights);
        if (type === 'whale.rollout.requested.v1' && data.group.purpose !== 'evaluation') {
          expect(data.group.purpose).toBe(phase?.kind);
        }
      }
    }),
    { numRuns: 10 },
  );
});

test('S4: validation and test outcomes never enter a decision about when a phase ends', () => {
  fc.assert(
    fc.property(seed, (world) => {
      const withEvaluations = (outcome: Outcome | undefined) =>
        scriptedRun(started({ strategy: adaptive, ...confirm }), {
          world: { seed: world, outcome: (request) => (request.group.purpose === 'evaluation' ? outcome : undefined) },
        });
      const byChance = withEvaluations(undefined);
      for (const outcome of ['correct', 'incorrect'] as const) {
        const flipped = withEvaluations(outcome);
        expect(phaseEnds(flipped)).toEqual(phaseEnds(byChance));
        expect(ofType(flipped.decided, 'whale.experiment.ended.v1')[0]?.data.base?.test.mean).toBe(
          outcome === 'correct' ? 1 : 0,
        );
      }
    }),
    { numRuns: 5 },
  );
});

test('two weight phases of 0.6 epochs consume the sampler without gap or overlap', () => {
  const steps = ofType(scriptedRun(started({ strategy: fixed })).decided, 'whale.weight-step.opened.v1');
  let next = 0;
  for (const { data } of steps) {
    expect(data.position).toBe(next);
    next += data.taskIds.length;
  }
  expect(next).toBe(24);
  const drawn = steps.flatMap(({ data }) => data.taskIds);
  expect(new Set(drawn.slice(0, 20)).size).toBe(20);
});

test('an empty S⁺ is recorded and changes no weights', () => {
  const run = scriptedRun(started({ strategy: strategies['weight-only'] }), {
    world: { outcome: (request) => (request.group.purpose === 'weight' ? 'incorrect' : undefined) },
  });
  const updates = ofType(run.decided, 'whale.weight-update.requested.v1');
  expect(updates).toHaveLength(6);
  for (const { data } of updates) expect(data).toMatchObject({ accepted: [], produces: 'w1', reward: 0, rollouts: 12 });
  expect(phaseEnds(run)[0]).toMatchObject({ count: 6, weights: { version: 'w0' } });
  expect(run.scheduler.versions).toBe(0);
});

test('the harness phase accepts the arg max of its archive', () => {
  const run = scriptedRun(started({ strategy: strategies['harness-only'] }));
  const scores = ofType(run.inputs, 'whale.harness.scored.v1').map((event) => event.data);
  const best = Math.max(...scores.map((score) => score.score as number));
  const accepted = phaseEnds(run)[0]?.harness.id;
  expect(accepted).toBe(scores.find((score) => score.score === best)?.harnessId);
});

test('the same experiment gives the same decisions and the same state twice', () => {
  const start = started({ strategy: adaptive });
  const one = scriptedRun(start, { world: troubled });
  const two = scriptedRun(start, { world: troubled });
  expect(asStreams(two.decided)).toEqual(asStreams(one.decided));
  expect(canonicalHash(two.scheduler)).toBe(canonicalHash(one.scheduler));
});
