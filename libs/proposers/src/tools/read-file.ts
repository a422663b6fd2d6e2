import { z } from 'zod';
import { readText } from './files.ts';
import { componentsOf, pathOf, Refusal } from './path.ts';
import { answering, done, type WorkspaceTool } from './tool.ts';

/** UTF-8 bytes of a file's text that one call gives. */
export const MOST_READ_BYTES = 64 << 10;

const Input = z
  .strictObject({
    path: z.string().describe('A file, relative to the workspace: "index.md"'),
    from_line: z.int().min(1).optional().describe('First line, from 1'),
    to_line: z.int().min(1).optional().describe('Last line, inclusive'),
  })
  .refine(({ from_line = 1, to_line = from_line }) => to_line >= from_line, {
    path: ['to_line'],
    message: 'must not be before from_line',
  });

export const readFileTool: WorkspaceTool<z.infer<typeof Input>> = {
  name: 'read_file',
  description:
    'Reads a text file of the workspace, each line after its number and a tab. At most 64 KiB a call: the end of the ' +
    'result says with which from_line to go on.',
  input: Input,
  run: ({ path, from_line: from = 1, to_line: to = Infinity }, { root, signal }) =>
    answering(async () => {
      signal.throwIfAborted();
      const components = componentsOf(path);
      const lines = linesOf(await readText(root, components));
      const name = pathOf(components);
      if (lines.length === 0) return done(`${name} is empty.`, [name]);
      return done(excerpt(name, lines, from, Math.min(to, lines.length)), [name]);
    }),
};

function excerpt(name: string, lines: readonly string[], from: number, to: number): string {
  if (from > lines.length) throw new Refusal(`${name} has ${lines.length} lines: there is none from ${from} on.`);
  const shown: string[] = [];
  let left = MOST_READ_BYTES;
  for (let number = from; number <= to; number++) {
    const line = `${number}\t${lines[number - 1]}`;
    const bytes = Buffer.byteLength(line) + 1;
    if (bytes > left) {
      if (shown.length > 0) break;
      shown.push(cut(line, left), `[line ${number} is cut: it has ${bytes} bytes]`);
      return [...shown, ...onwards(from, number, lines.length, to)].join('\n');
    }
    shown.push(line);
    left -= bytes;
  }
  return [...shown, ...onwards(from, from + shown.length - 1, lines.length, to)].join('\n');
}

/** What to say below the lines when they are not all that was asked for. */
function onwards(from: number, last: number, total: number, asked: number): string[] {
  if (last < asked) return [`[lines ${from} to ${last} of ${total}; go on with from_line ${last + 1}]`];
  return from === 1 && last === total ? [] : [`[lines ${from} to ${last} of ${total}]`];
}

/** A beginning of at most `bytes` UTF-8 bytes that splits no character. */
function cut(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/\uFFFD+$/u, '');
}

/** Without the empty one after the last line break. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
