import { z } from 'zod';
import { readFolder, sizeOf, type Entry } from './files.ts';
import { componentsOf, pathOf } from './path.ts';
import { answering, done, type WorkspaceTool } from './tool.ts';

const MOST_ENTRIES = 500;

const Input = z.strictObject({
  path: z.string().optional().describe('A folder, relative to the workspace; the workspace itself when absent'),
  after: z.string().optional().describe('Only names after this one, to go on with a long list'),
});

export const listFilesTool: WorkspaceTool<z.infer<typeof Input>> = {
  name: 'list_files',
  description:
    'Lists a folder of the workspace by name: folders with a "/" at the end, files with their bytes. At most 500 ' +
    'entries a call.',
  input: Input,
  run: ({ path = '', after }, { root, signal }) =>
    answering(async () => {
      signal.throwIfAborted();
      const components = componentsOf(path);
      const all = await readFolder(root, components);
      const rest = after === undefined ? all : all.filter(({ name }) => name > after);
      const page = rest.slice(0, MOST_ENTRIES);
      const lines = await Promise.all(page.map((entry) => line(root, components, entry)));
      if (lines.length === 0)
        return done(`${pathOf(components)} has no ${after === undefined ? '' : 'further '}entries.`);
      const more = rest.length - page.length;
      if (more > 0) lines.push(`[${more} more; go on with after: ${JSON.stringify(page.at(-1)?.name)}]`);
      return done(lines.join('\n'));
    }),
};

async function line(root: string, folder: readonly string[], { name, kind }: Entry): Promise<string> {
  const shown = /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
  switch (kind) {
    case 'folder':
      return `${shown}/`;
    case 'file':
      return `${shown}\t${(await sizeOf(root, [...folder, name])) ?? 'unknown'} bytes`;
    case 'link':
      return `${shown}\ta symbolic link: not followed`;
    case 'other':
      return `${shown}\tneither file nor folder: cannot be read`;
    default:
      return kind satisfies never;
  }
}
