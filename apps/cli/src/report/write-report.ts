import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExperimentView } from '@whale/experiment-view';
import type { OpenData } from '../log/open.ts';

export async function writeReport(view: ExperimentView, _open: OpenData, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `<pre>${view.experimentId}</pre>`);
}
