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
