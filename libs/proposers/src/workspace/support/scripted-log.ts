import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import { TOPIC_NAMES, TOPICS, type Split, type WireRecord } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { scriptedExperiment, type ScriptedExperiment, type ScriptedOptions } from '@whale/experiment-view/support';
import { onTestFinished } from 'vitest';

/** A scripted experiment on a real log with real blobs, and a domain that has its tasks. */
export interface ScriptedLog extends ScriptedExperiment {
  log: SqliteEventLog;
  blobs: FolderBlobStore;
  domain: Domain;
  /** A path that is not there yet. */
  target(): string;
  append(records: readonly WireRecord[]): Promise<void>;
}

/** What no workspace may hold, each beginning so. */
export const CANARY = 'canary';

/** As small as an experiment of two cycles can be, so that tests are quick. */
const SMALL: ScriptedOptions = {
  spec: {
    weight: { promptsPerStep: 2, rolloutsPerPrompt: 2 },
    evaluation: { rolloutsPerTask: 1, validationRolloutsPerTask: 1 },
  },
  script: { tasks: { weight: 4, harness: 10, validation: 2, test: 2 } },
};

const PLAIN: ScriptedOptions = {};
/** Most tests want the same one, and change nothing in it. */
let plain: Promise<ScriptedExperiment> | undefined;

function small({ spec, script, ...rest }: ScriptedOptions): Promise<ScriptedExperiment> {
  return scriptedExperiment({ ...rest, spec: { ...SMALL.spec, ...spec }, script: { ...SMALL.script, ...script } });
}

export async function scriptedLog(
  options: ScriptedOptions = PLAIN,
  /** Changes what is put on the log. */
  change: (records: readonly WireRecord[]) => readonly WireRecord[] = (records) => records,
): Promise<ScriptedLog> {
  const folder = await mkdtemp(join(tmpdir(), 'whale-workspace-'));
  const experiment = await (options === PLAIN ? (plain ??= small(PLAIN)) : small(options));
  const log = await SqliteEventLog.open({ path: join(folder, 'log.sqlite') });
  onTestFinished(async () => {
    await log.close();
    await rm(folder, { recursive: true, force: true });
  });
  await log.ensureTopics(TOPIC_NAMES.map((name) => ({ name, partitions: TOPICS[name].partitions })));
  await log.append(change(experiment.records));
  const blobs = new FolderBlobStore(join(folder, 'blobs'));
  for (const source of experiment.sources.values()) await blobs.put(new TextEncoder().encode(source));
  let targets = 0;
  return {
    ...experiment,
    log,
    blobs,
    domain: domainOf(experiment),
    target: () => join(folder, `workspace-${++targets}`),
    append: (records) => log.append(records),
  };
}

function domainOf({ events }: ScriptedExperiment): Domain {
  const started = events.find(({ event }) => event.type === 'whale.experiment.started.v1')?.event;
  const splits = started?.type === 'whale.experiment.started.v1' ? started.data.splits : null;
  const tasks = (split: Split) =>
    (splits?.[split] ?? []).map((id) => {
      const text = split === 'harness' ? `What is asked in ${id}?` : `${CANARY} input of ${id}`;
      return { id, split, input: { question: text } };
    });
  return {
    name: 'scripted',
    dataset: `${CANARY} data set`,
    tasks,
    task: (id) => (['weight', 'harness', 'validation', 'test'] as const).flatMap(tasks).find((task) => task.id === id),
    tools: () => ({ call: () => ({ error: 'none' }) }),
    verify: () => ({ reward: 0, diagnostics: {} }),
    gold: (id) => [`${CANARY} gold of ${id}`],
    seedHarness: '',
    components: [
      { slot: 'query', name: CANARY, source: `${CANARY} component`, targets: ['retrieval'], hypothesis: CANARY },
    ],
    diagnostics: { retrieval: 'True when the answer stood in a document.' },
    description: 'Questions in two hops.',
    harnessTypes: 'interface TaskInput { question: string }',
  };
}

/** All files below a folder with their bytes, by path. */
export async function filesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.sort().map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'latin1')] as const),
  );
  return new Map(files);
}
