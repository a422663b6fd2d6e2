import { expect, test } from 'vitest';
import { ofType, scriptedRun, type ScriptedRun } from './support/scripted-run.ts';
import { started } from './support/scripted-world.ts';

const adaptive = (harness: { minimum: number; patience: number; maximum: number }, maximum = 3) =>
  started({
    strategy: {
      kind: 'adaptive',
      cycles: 1,
      // 20 tasks, 4 a step: a window of 1 step, a minimum of 2, a patience of 2.
      weight: { window: 0.2, minimum: 0.4, patience: 0.4, maximum },
      harness,
    },
  });
const ends = (run: ScriptedRun) => ofType(run.decided, 'whale.phase.ended.v1').map(({ data }) => data);

/** Correct rollouts (of 12) in each weight step, the last number for all that follow. */
function rewards(...signal: number[]) {
  const seen = new Map<string, number>();
  return ({ group, sampleIndex }: { group: { id: string; purpose: string }; sampleIndex: number }) => {
    if (group.purpose !== 'weight') return undefined;
    if (!seen.has(group.id)) seen.set(group.id, seen.size);
    const step = seen.get(group.id) as number;
    return sampleIndex < (signal[Math.min(step, signal.length - 1)] as number)
      ? ('correct' as const)
      : ('incorrect' as const);
  };
}

test('the weight phase ends when the rolling reward has set no new best for P_w', () => {
  const run = scriptedRun(adaptive({ minimum: 1, patience: 1, maximum: 1 }), {
    world: { outcome: rewards(1, 2, 1, 1) },
  });
  expect(ends(run)[0]).toMatchObject({
    reason: 'patience',
    count: 4,
    signal: { bestWindowReward: 2 / 3, waitedSteps: 2 },
  });
});

test('a signal that always rises runs to the maximum', () => {
  const run = scriptedRun(adaptive({ minimum: 1, patience: 1, maximum: 1 }, 0.6), {
    world: { outcome: rewards(1, 2, 3) },
  });
  expect(ends(run)[0]).toMatchObject({ reason: 'maximum', count: 3, epochs: 0.6 });
});

test('the harness phase ends past J_min when no candidate beats the best for P_h iterations', () => {
  const run = scriptedRun(adaptive({ minimum: 3, patience: 2, maximum: 9 }), {
    world: { outcome: ({ group }) => (group.purpose === 'harness' ? 'correct' : undefined) },
  });
  // h_k has everything right from the start: each iteration waits, but none ends before J_min.
  expect(ends(run)[1]).toMatchObject({ reason: 'patience', count: 3, signal: { bestScore: 1, waitedIterations: 3 } });
});

test('the harness phase ends at its maximum where patience lasts longer', () => {
  const run = scriptedRun(adaptive({ minimum: 1, patience: 3, maximum: 2 }), {
    world: { outcome: ({ group }) => (group.purpose === 'harness' ? 'correct' : undefined) },
  });
  expect(ends(run)[1]).toMatchObject({ reason: 'maximum', count: 2, signal: { waitedIterations: 2 } });
});
