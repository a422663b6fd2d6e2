import type { Estimate } from '@whale/contracts';
import type { Difference } from '@whale/experiment-view';

/** `21.3%` */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** `21.3% [18.6, 24.3] n=800`: every accuracy is printed with n and its 95% interval. */
export function accuracy(estimate: Estimate | null): string {
  if (!estimate) return '–';
  const { mean, n, low, high } = estimate;
  return `${percent(mean)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}] n=${n}`;
}

/** `+23.9 [+20.1, +27.6]` in percentage points. */
export function points(difference: Difference | null): string {
  if (!difference) return 'not measured';
  const signed = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;
  return `${signed(difference.mean)} [${signed(difference.low)}, ${signed(difference.high)}]`;
}

/** `1,234` */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `45 s`, `2 min 05 s`, `1 h 02 min` */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** `m:ss` since the start, for line prefixes. */
export function elapsed(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(whole / 3600);
  const rest = `${String(Math.floor((whole % 3600) / 60)).padStart(hours > 0 ? 2 : 1, '0')}:${String(whole % 60).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** The first 8 hex digits, as people name a harness. */
export function shortId(harnessId: string): string {
  return harnessId.slice(0, 8);
}

/**
 * One line of at most `width` characters without control characters: what a model or a file wrote must not move the
 * cursor of a terminal, nor break the layout.
 */
export function oneLine(text: string, width = Infinity): string {
  const flat = text
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  const characters = [...flat];
  return characters.length <= width ? flat : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Why a phase ended, as a sentence part. */
export function endReason(reason: string | null, signal: Readonly<Record<string, number>> = {}): string {
  switch (reason) {
    case null:
      return 'under way';
    case 'fixed':
      return 'fixed budget done';
    case 'patience':
      return `patience: no new best for ${signal['waitedSteps'] ?? signal['waitedIterations'] ?? '?'} in a row`;
    case 'maximum':
      return 'maximum reached';
    case 'rollout-budget':
      return 'rollout budget spent';
    default:
      return reason;
  }
}
