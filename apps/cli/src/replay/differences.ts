const MOST = 10;
const LONGEST_VALUE = 60;

/** Where two JSON values differ, as sentences `path: live …, rebuilt …`; at most ten. */
export function differences(live: unknown, rebuilt: unknown): string[] {
  const found: string[] = [];
  walk(live, rebuilt, '', found);
  return found.length > MOST ? [...found.slice(0, MOST), `and ${found.length - MOST} more`] : found;
}

function walk(live: unknown, rebuilt: unknown, path: string, found: string[]): void {
  if (Object.is(live, rebuilt)) return;
  if (isObject(live) && isObject(rebuilt) && Array.isArray(live) === Array.isArray(rebuilt)) {
    for (const key of [...new Set([...Object.keys(live), ...Object.keys(rebuilt)])].sort()) {
      walk(live[key], rebuilt[key], path === '' ? key : `${path}.${key}`, found);
    }
    return;
  }
  found.push(`${path || '(all of it)'}: live ${shorten(live)}, rebuilt ${shorten(rebuilt)}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shorten(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}
