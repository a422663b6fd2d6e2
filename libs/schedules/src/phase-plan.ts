import type { PhaseKind, Spec, Strategy } from '@whale/contracts';
import { promptsIn } from './sampler.ts';

export interface PhaseIdentity {
  cycle: number;
  kind: PhaseKind;
}

/** A strategy by its budgets alone. */
export type Schedule = Exclude<Strategy, { kind: 'stagewise' | 'prompt-only' }>;

/** `stagewise` is a single cycle of fixed budgets; `prompt-only` bounds the candidates and not the schedule. */
export function scheduleOf(strategy: Strategy): Schedule {
  switch (strategy.kind) {
    case 'stagewise':
      return { ...strategy, kind: 'fixed', cycles: 1 };
    case 'prompt-only':
      return strategy.schedule;
    default:
      return strategy;
  }
}

/** The order of phases of a strategy; undefined after the last. A cycle is a weight phase, then a harness phase. */
export function phaseAt(spec: Spec, index: number): PhaseIdentity | undefined {
  const schedule = scheduleOf(spec.strategy);
  switch (schedule.kind) {
    case 'fixed':
    case 'adaptive':
      if (index >= 2 * schedule.cycles) return undefined;
      return { cycle: Math.floor(index / 2) + 1, kind: index % 2 === 0 ? 'weight' : 'harness' };
    case 'weight-only':
      return index === 0 ? { cycle: 1, kind: 'weight' } : undefined;
    case 'harness-only':
      return index === 0 ? { cycle: 1, kind: 'harness' } : undefined;
    default:
      return schedule satisfies never;
  }
}

/** When a phase ends: at `maximum`, or before it by patience. Units: prompts for weights, iterations for harnesses. */
export interface PhaseBounds {
  maximum: number;
  /** In steps (weight) or iterations (harness); null where the strategy has none. */
  patience: { minimum: number; patience: number; window: number } | null;
}

export function weightBounds(spec: Spec, tasks: number): PhaseBounds {
  const schedule = scheduleOf(spec.strategy);
  switch (schedule.kind) {
    case 'fixed':
    case 'weight-only':
      return { maximum: promptsIn(schedule.weight.epochs, tasks), patience: null };
    case 'adaptive': {
      const steps = (share: number) => Math.max(1, Math.round(promptsIn(share, tasks) / spec.weight.promptsPerStep));
      return {
        maximum: promptsIn(schedule.weight.maximum, tasks),
        patience: {
          window: steps(schedule.weight.window),
          minimum: steps(schedule.weight.minimum),
          patience: steps(schedule.weight.patience),
        },
      };
    }
    case 'harness-only':
      throw new RangeError('harness-only has no weight phase');
    default:
      return schedule satisfies never;
  }
}

export function harnessBounds(spec: Spec): PhaseBounds {
  const schedule = scheduleOf(spec.strategy);
  switch (schedule.kind) {
    case 'fixed':
    case 'harness-only':
      return { maximum: schedule.harness.iterations, patience: null };
    case 'adaptive':
      return {
        maximum: schedule.harness.maximum,
        patience: { minimum: schedule.harness.minimum, patience: schedule.harness.patience, window: 1 },
      };
    case 'weight-only':
      throw new RangeError('weight-only has no harness phase');
    default:
      return schedule satisfies never;
  }
}

/**
 * Positions that weight phase k (from 0) may consume of the persistent sampler. With a fixed E the borders are
 * round(kE·N), so that fractions of an epoch add up without drift; otherwise the phase begins where the last one ended.
 */
export function fixedWeightRange(spec: Spec, k: number, tasks: number): { from: number; to: number } | null {
  const schedule = scheduleOf(spec.strategy);
  if (schedule.kind !== 'fixed' && schedule.kind !== 'weight-only') return null;
  const from = Math.round(k * schedule.weight.epochs * tasks);
  const to = Math.max(from + 1, Math.round((k + 1) * schedule.weight.epochs * tasks));
  return { from, to };
}
