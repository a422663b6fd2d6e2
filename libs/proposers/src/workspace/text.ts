/** Characters of a line; a longer one is broken, so that it can be read in parts and found by grep. */
const LONGEST_LINE = 2_000;
/** Stands at the end of a line that goes on in the next one. */
const GOES_ON = ' ↩';

/** At most `most` characters, and how many there were if they were more. A copy, which does not hold on to the whole. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
  return Buffer.from(`${text.slice(0, end)}… [${text.length} characters]`).toString();
}

/** On one line, clipped. */
export function oneLine(text: string, most: number): string {
  return clip(text.replace(/\s+/gu, ' ').trim(), most);
}

/** Text within a page: indented, so that no line of it can be taken for one of the page's own. */
export function indented(text: string, by = 2): string {
  const margin = ' '.repeat(by);
  return visible(text)
    .split('\n')
    .flatMap(broken)
    .map((line) => (line === '' ? '' : margin + line))
    .join('\n');
}

function broken(line: string): string[] {
  if (line.length <= LONGEST_LINE) return [line];
  const pieces: string[] = [];
  for (let from = 0; from < line.length;) {
    let to = Math.min(from + LONGEST_LINE, line.length);
    if (to < line.length && isHighSurrogate(line.charCodeAt(to - 1))) to--;
    pieces.push(line.slice(from, to) + (to < line.length ? GOES_ON : ''));
    from = to;
  }
  return pieces;
}

/** Control characters as their pictures: NUL would make the file binary, ESC would move a terminal's cursor. */
function visible(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
  });
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** JSON with one line for each entry of the outermost object, and of the objects and lists in it: for ranges and grep. */
export function jsonLines(value: unknown, depth = 2, indent = ''): string {
  if (depth === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((item) => inner + jsonLines(item, depth - 1, inner))
    : Object.entries(value).map(
        ([key, item]) => `${inner}${JSON.stringify(key)}: ${jsonLines(item, depth - 1, inner)}`,
      );
  const [open, close] = isList ? '[]' : '{}';
  return entries.length === 0 ? `${open}${close}` : `${open}\n${entries.join(',\n')}\n${indent}${close}`;
}
