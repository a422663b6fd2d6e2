export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Throws for no numbers: nothing is silently 0. */
export function spread(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) throw new Error('nothing was measured');
  return { median: percentile(sorted, 0.5), min, max };
}

/** Of sorted numbers, interpolated. */
export function percentile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

/** `median (min–max)` */
export function show(numbers: readonly number[], digits = 0): string {
  const { median, min, max } = spread(numbers);
  const text = (number: number) => number.toLocaleString('en', { ...digitsOf(digits) });
  return `${text(median)} (${text(min)}–${text(max)})`;
}

/** Of each repetition with the one next to it, so that what changes on the machine meanwhile touches both. */
export function ratios(ours: readonly number[], bare: readonly number[]): number[] {
  return ours.map((number, i) => number / (bare[i] as number));
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function digitsOf(digits: number) {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}
