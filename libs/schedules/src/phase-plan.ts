import type { PhaseKind, Spec } from '@whale/contracts';
import { promptsIn } from './sampler.ts';

export interface PhaseIdentity {
  cycle: number;
  kind: PhaseKind;
}

/** The order of phases of a strategy; undefined after the last. A cycle is a weight phase, then a harness phase. */
export function phaseAt(spec: Spec, index: number): PhaseIdentity | undefined {
  switch (spec.strategy.kind) {
    case 'fixed':
    case 'adaptive':
      if (index >= 2 * spec.strategy.cycles) return undefined;
      return { cycle: Math.floor(index / 2) + 1, kind: index % 2 === 0 ? 'weight' : 'harness' };
    case 'weight-only':
      return index === 0 ? { cycle: 1, kind: 'weight' } : undefined;
    case 'harness-only':
      return index === 0 ? { cycle: 1, kind: 'harness' } : undefined;
    default:
      return spec.strategy satisfies never;
  }
}

/** When a phase ends: at `maximum`, or before it by patience. Units: prompts for weights, iterations for harnesses. */
export interface PhaseBounds {
  maximum: number;
  /** In steps (weight) or iterations (harness); null where the strategy has none. */
  patience: { minimum: number; patience: number; window: number } | null;
}

export function weightBounds(spec: Spec, tasks: number): PhaseBounds {
  const { strategy } = spec;
  switch (strategy.kind) {
    case 'fixed':
    case 'weight-only':
      return { maximum: promptsIn(strategy.weight.epochs, tasks), patience: null };
    case 'adaptive': {
      const steps = (share: number) => Math.max(1, Math.round(promptsIn(share, tasks) / spec.weight.promptsPerStep));
      return {
        maximum: promptsIn(strategy.weight.maximum, tasks),
        patience: {
          window: steps(strategy.weight.window),
          minimum: steps(strategy.weight.minimum),
          patience: steps(strategy.weight.patience),
        },
      };
    }
    case 'harness-only':
      throw new RangeError('harness-only has no weight phase');
    default:
      return strategy satisfies never;
  }
}

export function harnessBounds(spec: Spec): PhaseBounds {
  const { strategy } = spec;
  switch (strategy.kind) {
    case 'fixed':
    case 'harness-only':
      return { maximum: strategy.harness.iterations, patience: null };
    case 'adaptive':
      return {
        maximum: strategy.harness.maximum,
        patience: { minimum: strategy.harness.minimum, patience: strategy.harness.patience, window: 1 },
      };
    case 'weight-only':
      throw new RangeError('weight-only has no harness phase');
    default:
      return strategy satisfies never;
  }
}

/**
 * Positions that weight phase k (from 0) may consume of the persistent sampler. With a fixed E the borders are
 * round(kE·N), so that fractions of an epoch add up without drift; otherwise the phase begins where the last one ended.
 */
export function fixedWeightRange(spec: Spec, k: number, tasks: number): { from: number; to: number } | null {
  const { strategy } = spec;
  if (strategy.kind !== 'fixed' && strategy.kind !== 'weight-only') return null;
  const from = Math.round(k * strategy.weight.epochs * tasks);
  const to = Math.max(from + 1, Math.round((k + 1) * strategy.weight.epochs * tasks));
  return { from, to };
}
