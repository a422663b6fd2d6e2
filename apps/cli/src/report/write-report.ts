import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExperimentView } from '@whale/experiment-view';
import { EnvironmentError } from '@whale/kernel';
import type { OpenData } from '../log/open.ts';
import { gatherMaterial } from './material.ts';
import { reportPage } from './page.ts';

/** Writes the report to `path`, whole or not at all. Throws EnvironmentError when it cannot be written. */
export async function writeReport(view: ExperimentView, open: OpenData, path: string): Promise<void> {
  const page = reportPage(await gatherMaterial(view, open));
  const aside = `${path}.${process.pid}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(aside, page);
    await rename(aside, path);
  } catch (cause) {
    const message = `the report cannot be written to ${path}: ${(cause as Error).message}. whale report --out FILE writes it elsewhere.`;
    throw new EnvironmentError(message, { cause });
  }
}
