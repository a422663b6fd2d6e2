const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** A bar of `width` characters filled to `fraction`. */
export function bar(fraction: number, width: number): string {
  const filled = Math.max(0, Math.min(1, fraction)) * width;
  const whole = Math.floor(filled);
  const part = whole < width ? (EIGHTHS[Math.floor((filled - whole) * 8)] ?? '') : '';
  return '█'.repeat(whole) + part + '░'.repeat(width - whole - part.length);
}

/** Values in [0, top] as block characters, the last `width` of them. */
export function sparkline(values: readonly number[], width: number, top = 1): string {
  return values
    .slice(-width)
    .map((value) => LEVELS[Math.max(0, Math.min(7, Math.floor((value / top) * 8)))])
    .join('');
}
