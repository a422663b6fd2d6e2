import type { RolloutCompleted } from '@whale/contracts';
import { harnessTypes } from '@whale/harness-sandbox';
import { unifiedDiff } from '../unified-diff.ts';
import type { RejectedCandidate } from './facts.ts';
import { MOST_PARTS, type FolderWriter } from './folder-writer.ts';
import { frontier } from './frontier.ts';
import { historyLines, rejectedPath } from './history.ts';
import { indexPage, type WorkspaceCounts } from './index-page.ts';
import type { Measurement, TaskResult } from './measurement.ts';
import { outcomeLine, summaryOf, trajectoryPath, type RolloutSummary } from './rollout-summary.ts';
import { scoreFile } from './score-file.ts';
import type { SealedDomain } from './sealed-domain.ts';
import { jsonLines } from './text.ts';
import { trajectoryPage } from './trajectory-page.ts';
import type { WorkspaceHarness, WorkspaceView } from './view.ts';

export interface ViewParts {
  domain: SealedDomain;
  /** The source of a harness, by its id. */
  source: (id: string) => Promise<string>;
  /** Those of the wanted ids that are on the log, each once. */
  rollouts: (wanted: ReadonlySet<string>) => AsyncIterable<RolloutCompleted['data']>;
}

/** Where a rollout of D_harness belongs. */
interface Place {
  harness: WorkspaceHarness;
  measurement: Measurement;
  result: TaskResult;
  /** Below the harness's folder. */
  path: string;
}

/** Writes all files of a view. No more than one trajectory and one harness are in memory at a time. */
export async function writeView(view: WorkspaceView, parts: ViewParts, to: FolderWriter): Promise<WorkspaceCounts> {
  const { domain } = parts;
  const places = placesOf(view);
  const summaries = await writeTrajectories(places, parts, to);
  for (const harness of view.harnesses) await writeHarness(harness, view, { parts, places, summaries }, to);
  await writeRejected(view, to);
  await to.writeLines(
    'history.jsonl',
    map(historyLines(view), (line) => JSON.stringify(line)),
  );
  const leading = frontier(view);
  await to.write('frontier.json', `${jsonLines(leading)}\n`);
  await to.write('domain.md', domainPage(domain));
  await to.write('harness.d.ts', harnessTypes(domain.harnessTypes));
  await to.folder('candidates');
  const missing = [...places.values()].filter(
    ({ result }) => result.outcome !== 'infrastructure_error' && !summaries.has(result.rolloutId),
  );
  const counts = { trajectories: summaries.size, missing: missing.length };
  await to.write('index.md', indexPage(view, leading, counts));
  return counts;
}

function placesOf({ harnesses }: WorkspaceView): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const harness of harnesses) {
    const seen = new Set<string>();
    for (const measurement of harness.measurements) {
      // A pair that is measured again, in a later phase under the same θ, has rollouts of its own.
      const again = seen.has(measurement.weights);
      seen.add(measurement.weights);
      for (const result of measurement.tasks) {
        const path = trajectoryPath(measurement, result.taskId, again);
        places.set(result.rolloutId, { harness, measurement, result, path });
      }
    }
  }
  return places;
}

async function writeTrajectories(
  places: ReadonlyMap<string, Place>,
  { rollouts, domain }: ViewParts,
  to: FolderWriter,
): Promise<Map<string, RolloutSummary>> {
  const summaries = new Map<string, RolloutSummary>();
  for await (const rollout of rollouts(new Set(places.keys()))) {
    const place = places.get(rollout.rolloutId);
    if (place === undefined || !belongs(rollout, place)) continue;
    const { harness, result, path } = place;
    const page = trajectoryPage({ harness: harness.folder, result, rollout, input: domain.inputs.get(result.taskId) });
    const left = '[The rest of this trajectory is left out: it is larger than 4 MiB.]';
    await to.writeLines(`harnesses/${harness.folder}/${path}`, page, MOST_PARTS, left);
    summaries.set(rollout.rolloutId, summaryOf(rollout));
  }
  return summaries;
}

/** The score names rollouts by id; that each is what the score says it is, is checked all the same. */
function belongs(rollout: RolloutCompleted['data'], { measurement, result }: Place): boolean {
  return (
    rollout.group.purpose === 'harness' &&
    rollout.group.id === measurement.evaluationId &&
    rollout.taskId === result.taskId &&
    rollout.harnessId === measurement.harnessId &&
    rollout.weightsVersion === measurement.weights
  );
}

async function writeHarness(
  harness: WorkspaceHarness,
  view: WorkspaceView,
  known: { parts: ViewParts; places: ReadonlyMap<string, Place>; summaries: ReadonlyMap<string, RolloutSummary> },
  to: FolderWriter,
): Promise<void> {
  const folder = `harnesses/${harness.folder}`;
  const source = await known.parts.source(harness.id);
  await to.write(`${folder}/harness.ts`, source);
  await to.write(`${folder}/score.json`, `${jsonLines(scoreFile(harness, view), 3)}\n`);
  const parent = harness.proposals.at(-1)?.parent;
  if (parent !== undefined) {
    const from = { id: parent, source: await known.parts.source(parent) };
    await to.write(`${folder}/parent.diff`, unifiedDiff(from, { id: harness.id, source }));
  }
  await to.writeLines(`${folder}/outcomes.jsonl`, outcomeLines(harness, known));
}

/** The newest θ first. */
function* outcomeLines(
  { measurements }: WorkspaceHarness,
  { places, summaries }: { places: ReadonlyMap<string, Place>; summaries: ReadonlyMap<string, RolloutSummary> },
): Generator<string> {
  for (const measurement of [...measurements].reverse()) {
    for (const result of measurement.tasks) {
      const path = places.get(result.rolloutId)?.path ?? '';
      yield outcomeLine(measurement, result, summaries.get(result.rolloutId), path);
    }
  }
}

async function writeRejected({ history }: WorkspaceView, to: FolderWriter): Promise<void> {
  await to.folder('rejected');
  for (const entry of history) {
    if (entry.kind !== 'requested') continue;
    const rejected = entry.setbacks.flatMap(({ kind, data }) =>
      kind === 'rejected' ? [data as RejectedCandidate] : [],
    );
    for (const data of rejected) {
      const path = rejectedPath(entry.data, data);
      if (path !== null) await to.write(path, data.source);
    }
  }
}

function domainPage({ name, description, diagnostics }: SealedDomain): string {
  const listed = Object.entries(diagnostics).map(([key, meaning]) => `- \`${key}\`: ${meaning}`);
  return [`# Domain ${name}`, '', description.trim(), '', '## Diagnostics', '', ...listed, ''].join('\n');
}

function* map<A, B>(values: Iterable<A>, to: (value: A) => B): Generator<B> {
  for (const value of values) yield to(value);
}
