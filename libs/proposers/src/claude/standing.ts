import { millisecondsLeft, mostOf, sureCalls, type ClaudeSpec } from './limits.ts';
import type { Turn } from './progress.ts';
import { WRITE } from './tool-names.ts';

/** Past this share of the wall time the model is told to come to an end. */
const LATE = 0.8;
/** Told to hurry when no more calls than these are sure to fit. */
const FEW_CALLS = 3;

/** Candidates of these turns that are valid. */
export function validOf(turns: readonly Turn[]): number {
  return turns.flatMap(({ results }) => results).filter(({ tool, error }) => tool === WRITE && error === null).length;
}

/**
 * A line for the model: what is left after these turns, and how far it is. `promptTokens` is what its next call sends,
 * at the most.
 */
export function standing(turns: readonly Turn[], promptTokens: number, wanted: number, spec: ClaudeSpec): string {
  const { limits, prices, maxTokens } = spec;
  const spent = turns.at(-1)?.spent ?? { tokens: 0, usd: 0, milliseconds: 0 };
  const time = millisecondsLeft(spent.milliseconds, limits);
  const left = [
    `${Math.max(0, limits.turns - turns.length)} of ${limits.turns} calls`,
    `$${Math.max(0, limits.usd - spent.usd).toFixed(2)} of $${limits.usd.toFixed(2)}`,
    `${thousands(limits.tokens - spent.tokens)} of ${thousands(limits.tokens)} tokens`,
    `${Math.max(0, Math.floor(time / 1000))} of ${Math.floor(limits.seconds)} s`,
  ];
  const state = `[Left: ${left.join(', ')}. Valid candidates: ${validOf(turns)} of ${wanted}.]`;
  const sure = sureCalls({ turns, spent }, mostOf(promptTokens, maxTokens, prices), spec);
  if (sure <= 1) return `${state} Your next call may be the last: write what you have.`;
  if (time < (1 - LATE) * limits.seconds * 1000) return `${state} Time is nearly up: write what you have.`;
  if (sure <= FEW_CALLS) return `${state} Only ${sure} more calls of this size are sure to fit: write soon.`;
  return state;
}

function thousands(tokens: number): string {
  return `${Math.max(0, Math.floor(tokens / 1000))}k`;
}
