import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder with a workspace in it and, beside the workspace, what nobody may see. */
export interface Scratch {
  root: string;
  outside: string;
}

export const SECRET = 'canary-5f1c9d';

export async function scratch(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'whale-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [root, outside] = [join(folder, 'workspace'), join(folder, 'outside')];
  await put(outside, { [`${SECRET}.txt`]: `${SECRET}\n`, [`deep/${SECRET}.txt`]: `${SECRET}\n` });
  await put(root, files);
  return { root, outside };
}

async function put(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
