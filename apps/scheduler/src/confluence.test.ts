import { canonicalHash } from '@whale/kernel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SchedulerInput } from './events.ts';
import { asStreams, interleave, replay, scriptedRun } from './support/scripted-run.ts';
import { started } from './support/scripted-world.ts';
import { confirm, contested, strategies, troubled } from './support/strategies.ts';

const seed = fc.string({ minLength: 1, maxLength: 8 });

const experiments = [
  ...Object.entries(strategies).map(
    ([kind, strategy]) => [kind, started({ strategy }), (seed: string) => ({ ...troubled, seed })] as const,
  ),
  ['fixed with confirmation', started({ strategy: strategies.fixed, ...confirm }), contested] as const,
  ['adaptive with confirmation', started({ strategy: strategies.adaptive, ...confirm }), contested] as const,
];

describe.each(experiments)('S1 confluence of %s', (_, start, worldOf) => {
  test('everything that happens at the same time may happen in any order', () => {
    fc.assert(
      fc.property(seed, seed, (world, order) => {
        const options = worldOf(world);
        const one = scriptedRun(start, { world: options, order: 'first' });
        const other = scriptedRun(start, { world: options, order });
        expect(one.scheduler.stage.at).toBe('ended');
        expect(asStreams(other.decided)).toEqual(asStreams(one.decided));
        expect(canonicalHash(other.scheduler)).toBe(canonicalHash(one.scheduler));
        expect(canonicalHash(other.archive)).toBe(canonicalHash(one.archive));
      }),
      { numRuns: 6 },
    );
  });

  test('the inputs of a run give the same decisions in any order that keeps topic and key, also long before they are asked for', () => {
    fc.assert(
      fc.property(seed, seed, (world, order) => {
        const run = scriptedRun(start, { world: worldOf(world) });
        const { state, decided } = replay(interleave(run.inputs, order));
        expect(asStreams(decided)).toEqual(asStreams(run.decided));
        expect(canonicalHash(state)).toBe(canonicalHash(run.scheduler));
      }),
      { numRuns: 6 },
    );
  });

  test('a part of the inputs gives the same state in any order: a service may stop anywhere', () => {
    fc.assert(
      fc.property(seed, seed, fc.double({ min: 0, max: 1, noNaN: true }), (world, order, share) => {
        const { inputs } = scriptedRun(start, { world: worldOf(world) });
        const part = interleave(inputs, order).slice(0, Math.floor(share * inputs.length));
        const one = replay(part);
        const other = replay(interleave(part, `${order}/again`));
        expect(asStreams(other.decided)).toEqual(asStreams(one.decided));
        expect(canonicalHash(other.state)).toBe(canonicalHash(one.state));
      }),
      { numRuns: 6 },
    );
  });

  test('what is delivered twice changes nothing', () => {
    fc.assert(
      fc.property(seed, seed, (world, order) => {
        const run = scriptedRun(start, { world: worldOf(world) });
        const twice = run.inputs.flatMap((input) => [input, input]);
        const late: SchedulerInput[] = [...interleave(twice, order), ...run.inputs];
        const { state, decided } = replay(late);
        expect(asStreams(decided)).toEqual(asStreams(run.decided));
        expect(canonicalHash(state)).toBe(canonicalHash(run.scheduler));
      }),
      { numRuns: 4 },
    );
  });
});
