import type { Draft } from './proposer.ts';

const FIRST_LINE = '// candidate of the harness search';
const HEADER = /^\/\/ candidate of the harness search\n(?:\/\/.*\n)*\n?/u;
const WIDTH = 116;

/** The source without the header that a proposer put before it: what the program is, whoever proposed it. */
export function withoutHeader(source: string): string {
  return source.replace(HEADER, '');
}

/** The source under a header that says parent, changes and hypothesis; a header that it has is replaced. */
export function withHeader(source: string, { parent, changes, hypothesis }: Omit<Draft, 'source'>): string {
  const lines = [
    FIRST_LINE,
    `// parent: ${parent}`,
    ...changes.flatMap((change) => wrap('change', change)),
    ...wrap('hypothesis', hypothesis),
  ];
  return `${lines.join('\n')}\n\n${withoutHeader(source)}`;
}

/**
 * What the comment lines at the head of a source say of the candidate, in the words of `withHeader` or of somebody who
 * wrote them by hand; '' and [] where they say nothing.
 */
export function readHeader(source: string): Omit<Draft, 'source'> {
  const told = { parent: '', hypothesis: '', changes: [] as string[] };
  let continued: ((text: string) => void) | undefined;
  for (const line of source.split('\n')) {
    if (!line.startsWith('//')) break;
    const { label, text = '' } = /^\/\/ (?<label>parent|change|hypothesis): *(?<text>.*)$/u.exec(line)?.groups ?? {};
    if (label === 'change') {
      const at = told.changes.push(text.trim()) - 1;
      continued = (more) => (told.changes[at] += ` ${more}`);
    } else if (label === 'parent' || label === 'hypothesis') {
      told[label] = text.trim();
      continued = (more) => (told[label] += ` ${more}`);
    } else if (/^\/\/ {3}\S/u.test(line)) continued?.(line.slice(2).trim());
    else continued = undefined;
  }
  return told;
}

/** Comment lines; those after the first are indented, so that none of them can look like a region marker. */
function wrap(label: string, text: string): string[] {
  const lines: string[] = [];
  let line = `// ${label}:`;
  for (const word of text.split(/\s+/u).filter(Boolean)) {
    if (line.length + 1 + word.length > WIDTH && !line.endsWith(':')) {
      lines.push(line);
      line = `//   ${word}`;
    } else line += ` ${word}`;
  }
  return [...lines, line];
}
