import type { ExperimentCancelRequested, ExperimentEnded } from '@whale/contracts';
import { canonicalHash, canonicalJson } from '@whale/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SchedulerOutput } from './events.ts';
import { replayRefusal, replayScheduler } from './replay.ts';
import { initialState } from './state.ts';
import { asStreams, idOf, interleave, ofType, scriptedRun } from './support/scripted-run.ts';
import { started } from './support/scripted-world.ts';
import { confirm, contested, strategies, troubled } from './support/strategies.ts';

const start = started({ strategy: strategies.fixed });
const cancel: ExperimentCancelRequested = {
  type: 'whale.experiment.cancel-requested.v1',
  data: { experimentId: start.data.experimentId, reason: 'enough' },
};
const knownOf = (decided: readonly SchedulerOutput[]) =>
  new Map(decided.map((event) => [idOf(event), canonicalJson(event.data)]));

test('a run comes back from its inputs in any order', () => {
  const run = scriptedRun(start, { world: troubled });
  const { state, decided } = replayScheduler(interleave(run.inputs, 'any'), knownOf(run.decided));
  expect(asStreams(decided)).toEqual(asStreams(run.decided));
  expect(canonicalHash(state)).toBe(canonicalHash(run.scheduler));
});

test.each([
  ['by arg max', start, (seed: string) => ({ ...troubled, seed })],
  ['with confirmation', started({ strategy: strategies.fixed, ...confirm }), contested],
])('a cancelled run comes back as it ended, wherever it was cancelled (%s)', (_, begun, worldOf) => {
  fc.assert(
    fc.property(fc.nat(900), fc.string({ minLength: 1, maxLength: 8 }), (after, order) => {
      let asked = false;
      const run = scriptedRun(begun, {
        world: worldOf(order),
        order,
        interrupt: (decided) => {
          if (asked || decided.length < after) return undefined;
          asked = true;
          return { ...cancel, data: { ...cancel.data, experimentId: begun.data.experimentId } };
        },
      });
      const { state, decided } = replayScheduler(interleave(run.inputs, `${order}/again`), knownOf(run.decided));
      expect(asStreams(decided)).toEqual(asStreams(run.decided));
      expect(canonicalHash(state)).toBe(canonicalHash(run.scheduler));
    }),
    { numRuns: 15 },
  );
});

test('a request to cancel that was heard before its effect is on the log takes effect', () => {
  const run = scriptedRun(start);
  const part = run.inputs.slice(0, 100);
  const { decided } = replayScheduler([cancel, ...part], new Map());
  expect(ofType(decided, 'whale.experiment.ended.v1')[0]?.data.status).toBe('cancelled');
});

test('a spec that could not start is known by its end alone', () => {
  const { ledger } = initialState;
  const end: ExperimentEnded = {
    type: 'whale.experiment.ended.v1',
    data: {
      experimentId: 'x',
      status: 'failed',
      reason: 'no such domain',
      base: null,
      best: null,
      bestOnTest: null,
      ledger,
    },
  };
  expect(replayRefusal(end)).toEqual({ state: { ...initialState, stage: { at: 'ended' } }, decided: [end] });
});
