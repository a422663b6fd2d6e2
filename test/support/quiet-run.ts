import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { Place, type Shown } from './place.ts';
import type { Finished } from './whale-process.ts';

export const TINY = 'test/support/tiny.yaml';

const LOOK_EVERY_MS = 100;
const LIMIT_MS = 120_000;

/** The smallest experiment, undisturbed, in one process on the embedded log. Its data are for looking at only. */
export interface QuietRun {
  data: string;
  finished: Finished;
  shown: Shown;
  /** On all topics. */
  records: number;
}

/** One for all test files of a run: whoever comes first makes it, the others wait. Throws when it does not succeed. */
export async function quietRun(): Promise<QuietRun> {
  const folder = join(inject('scratch'), 'quiet');
  const result = join(folder, 'result.json');
  if (await isFirst(folder)) {
    const made = await make(join(folder, 'data')).catch((error: Error) => ({ failed: error.message }));
    await writeFile(`${result}.part`, JSON.stringify(made));
    await rename(`${result}.part`, result);
  }
  const end = performance.now() + LIMIT_MS;
  while (performance.now() < end) {
    const text = await readFile(result, 'utf8').catch(() => null);
    if (text === null) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const run = JSON.parse(text) as QuietRun | { failed: string };
    if ('failed' in run) throw new Error(run.failed);
    return run;
  }
  throw new Error(`the quiet run was not there within ${LIMIT_MS / 1000} s`);
}

async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function make(data: string): Promise<QuietRun> {
  const place = new Place({ data });
  const finished = await place.whale('run', TINY);
  if (finished.code !== 0) throw new Error(`the quiet run ended with ${finished.code}: ${finished.stderr}`);
  const probe = place.probe();
  const records = await probe.records();
  await probe.close();
  return { data, finished, shown: await place.show(), records };
}
