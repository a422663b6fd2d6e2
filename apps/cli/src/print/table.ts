import Table from 'cli-table3';

export type Align = 'left' | 'right';

/** A plain table without a frame: columns two spaces apart, so that it can be read, copied and cut. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  aligns: readonly Align[] = [],
): string {
  const none = '';
  const out = new Table({
    head: [...head],
    colAligns: head.map((_, i) => aligns[i] ?? 'left'),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: {
      top: none,
      'top-mid': none,
      'top-left': none,
      'top-right': none,
      bottom: none,
      'bottom-mid': none,
      'bottom-left': none,
      'bottom-right': none,
      left: none,
      'left-mid': none,
      mid: none,
      'mid-mid': none,
      right: none,
      'right-mid': none,
      middle: none,
    },
  });
  out.push(...rows.map((row) => [...row]));
  return out
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
