import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import { TOPIC_NAMES, TOPICS } from '@whale/contracts';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { scriptedExperiment, type ScriptedExperiment, type ScriptedOptions } from '@whale/experiment-view/support';

export interface ScriptedData extends ScriptedExperiment {
  /** The data folder. */
  path: string;
}

/** A scripted experiment on a real log with real blobs, as a run would have left it. */
export async function scriptedData(path: string, options: ScriptedOptions = {}): Promise<ScriptedData> {
  mkdirSync(path, { recursive: true });
  const experiment = await scriptedExperiment(options);
  const log = await SqliteEventLog.open({ path: join(path, 'log.sqlite') });
  await log.ensureTopics(TOPIC_NAMES.map((name) => ({ name, partitions: TOPICS[name].partitions })));
  await log.append(experiment.records);
  await log.close();
  const blobs = new FolderBlobStore(join(path, 'blobs'));
  for (const source of experiment.sources.values()) await blobs.put(new TextEncoder().encode(source));
  return { ...experiment, path };
}
