import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  encodeEvent,
  type AnyEvent,
  type HarnessScored,
  type RolloutCompleted,
  type WireRecord,
} from '@whale/contracts';
import { sha256 } from '@whale/kernel';
import { describe, expect, it } from 'vitest';
import { callTool } from '../tools/call.ts';
import { readingTools } from '../tools/reading-tools.ts';
import { PART_BYTES } from './folder-writer.ts';
import { WorkspaceSource } from './source.ts';
import { CANARY, filesOf, scriptedLog, type ScriptedLog } from './support/scripted-log.ts';
import type { WorkspacePoint } from './view.ts';

const REQUESTED = 'whale.candidates.requested.v2';

const written = async (scripted: ScriptedLog, at: WorkspacePoint, source = sourceOf(scripted)) => {
  const { domain } = scripted;
  const done = await source.write(scripted.target(), { domain, at });
  return { ...done, contents: await filesOf(done.directory) };
};
const sourceOf = (scripted: ScriptedLog) => new WorkspaceSource(scripted, scripted.experimentId);
const jsonLines = (text: string | undefined) =>
  (text ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const eventsOf = <Type extends AnyEvent['type']>({ events }: ScriptedLog, type: Type) =>
  events.flatMap(({ event }) => (event.type === type ? [event as Extract<AnyEvent, { type: Type }>] : []));

function grouped<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
  return groups;
}

describe('a workspace', () => {
  it('shows each harness with source, scores, outcomes, trajectories and what differs from its parent', async () => {
    const scripted = await scriptedLog();
    const { contents, directory } = await written(scripted, 'now');
    const proposed = eventsOf(scripted, 'whale.harness.proposed.v1');
    expect(proposed.length).toBeGreaterThan(8);
    for (const { data } of proposed) {
      const folder = `harnesses/${data.harness.id.slice(0, 12)}`;
      expect(sha256(contents.get(`${folder}/harness.ts`) ?? '')).toBe(data.harness.id);
      expect(contents.get(`${folder}/parent.diff`)).toContain(`--- harnesses/${data.parent.slice(0, 12)}/harness.ts`);
      const score = JSON.parse(contents.get(`${folder}/score.json`) ?? '') as { id: string; proposals: object[] };
      expect(score).toMatchObject({ id: data.harness.id, proposals: [{ parent: data.parent, index: data.index }] });
    }
    for (const { data } of eventsOf(scripted, 'whale.harness.scored.v1')) {
      const folder = `harnesses/${data.harnessId.slice(0, 12)}`;
      const lines = jsonLines(contents.get(`${folder}/outcomes.jsonl`)).filter(
        (line) => line['weights'] === data.weightsVersion,
      );
      expect(lines.map((line) => [line['task'], line['outcome']])).toEqual(
        data.tasks.map((task) => [task.taskId, task.outcome]),
      );
      for (const line of lines.filter((one) => one['trajectory'] !== null)) {
        const page = contents.get(`${folder}/${line['trajectory']}`) ?? '';
        expect(page).toContain(
          `harness ${data.harnessId.slice(0, 12)} under ${data.weightsVersion}: ${line['outcome']}`,
        );
        expect(page).toContain(`\n  Who was the mayor of the home town of ${line['task']}?\n`);
        expect(page).toContain(`What is asked in ${line['task']}?`);
      }
    }
    expect((await readdir(join(directory, 'candidates'))).length).toBe(0);
    expect(contents.get('domain.md')).toContain('- `retrieval`: True when the answer stood in a document.');
    expect(contents.get('harness.d.ts')).toContain('interface TaskInput { question: string }');
  });

  it('keeps a harness apart under each θ that it was measured under, the newest first', async () => {
    const scripted = await scriptedLog();
    const { contents } = await written(scripted, 'now');
    const byHarness = grouped(eventsOf(scripted, 'whale.harness.scored.v1'), ({ data }) => data.harnessId);
    const [id, scores] = [...byHarness].find(([, list]) => list.length > 1) ?? ['', []];
    const versions = scores.map(({ data }) => data.weightsVersion).reverse();
    expect(versions.length).toBe(2);
    const folder = `harnesses/${id.slice(0, 12)}`;
    const { scores: told } = JSON.parse(contents.get(`${folder}/score.json`) ?? '') as {
      scores: { weights: string }[];
    };
    expect(told.map(({ weights }) => weights)).toEqual(versions);
    const lines = jsonLines(contents.get(`${folder}/outcomes.jsonl`));
    expect([...new Set(lines.map((line) => line['weights']))]).toEqual(versions);
    for (const version of versions)
      expect([...contents.keys()].join('\n')).toContain(`${folder}/trajectories/${version}/`);
  });

  it('tells in its history what was expected, what came of it and why it was not accepted', async () => {
    const scripted = await scriptedLog();
    const { contents } = await written(scripted, 'now');
    const lines = jsonLines(contents.get('history.jsonl'));
    const candidates = lines.filter((line) => line['kind'] === 'candidate');
    expect(candidates.length).toBe(eventsOf(scripted, 'whale.harness.proposed.v1').length);
    const accepted = candidates.filter((line) => line['accepted']).map((line) => line['harness']);
    const changes = eventsOf(scripted, 'whale.incumbent.changed.v1').map(({ data }) => data.to.slice(0, 12));
    expect(accepted.length).toBeGreaterThan(1);
    // Within one iteration the arg max may change more than once: the last one stays.
    expect(changes).toEqual(expect.arrayContaining(accepted));
    const reasons = new Set(candidates.map((line) => line['why'] as string));
    expect(reasons).toContain('the best of the archive: it became the incumbent');
    expect(reasons).toContain('a tie keeps the incumbent');
    for (const line of candidates) {
      const { score, againstParent } = line as unknown as {
        score: number;
        againstParent: { score: number[]; gained: number; lost: number; tasks: number };
      };
      expect(againstParent.score[1]).toBe(score);
      expect((againstParent.gained - againstParent.lost) / againstParent.tasks).toBeCloseTo(
        score - (againstParent.score[0] ?? NaN),
      );
    }
    const refused = lines.filter((line) => line['kind'] === 'rejected');
    expect(refused.length).toBe(eventsOf(scripted, 'whale.candidate.rejected.v1').length);
    for (const line of refused) expect(contents.get(line['source'] as string)).toContain('export const PROMPTS');
    const ended = lines.filter((line) => line['kind'] === 'phase-ended').map((line) => line['weights']);
    expect(ended).toEqual(eventsOf(scripted, 'whale.phase.ended.v1').map(({ data }) => data.weights.version));
  });

  it('leads with an index that says what is where, how much, and who is ahead', async () => {
    const scripted = await scriptedLog();
    const { contents, trajectories, incumbent } = await written(scripted, 3);
    const index = contents.get('index.md') ?? '';
    expect(index).toContain(`Cycle 2, iteration 1: 3 candidates are wanted.`);
    expect(index).toContain(`${trajectories} trajectories.`);
    expect(index).toContain(`Incumbent: ${incumbent.slice(0, 12)}.`);
    const data = eventsOf(scripted, REQUESTED)[2]?.data;
    expect(incumbent).toBe(data?.incumbent.id);
    const frontier = JSON.parse(contents.get('frontier.json') ?? '') as {
      weights: string;
      best: object[];
      tasks: object;
    };
    expect([frontier.weights, frontier.best.length]).toEqual([data?.weights.version, 1]);
    expect(Object.keys(frontier.tasks).length).toBe(10);
    for (const path of ['domain.md', 'harness.d.ts', 'frontier.json', 'history.jsonl', 'rejected/', 'candidates/']) {
      expect(index).toContain(`\`${path}\``);
    }
  });

  it('W3 is the same at a request whatever has happened since, and however it was read', async () => {
    const whole = await scriptedLog();
    const requests = eventsOf(whole, REQUESTED).length;
    const kept = sourceOf(whole);
    for (let n = 1; n <= requests; n++) {
      const length = whole.events.findIndex(({ event }) => event === eventsOf(whole, REQUESTED)[n - 1]) + 1;
      const part = await scriptedLog(undefined, (records) => records.slice(0, length));
      const { contents } = await written(part, n);
      expect(contents.get('index.md')).toContain('candidates are wanted');
      expect((await written(whole, n, kept)).contents).toEqual(contents);
      const { iterationId, attempt } = (await kept.requests())[n - 1] as { iterationId: string; attempt: number };
      expect((await written(whole, { iterationId, attempt }, kept)).contents).toEqual(contents);
    }
  });

  it('W3 reads on from where it stopped', async () => {
    let rest: readonly WireRecord[] = [];
    const scripted = await scriptedLog(undefined, (records) => {
      rest = records.slice(150);
      return records.slice(0, 150);
    });
    const source = sourceOf(scripted);
    const early = await written(scripted, 'now', source);
    await scripted.append(rest);
    const late = await written(scripted, 'now', source);
    expect(late.trajectories).toBeGreaterThan(early.trajectories);
    expect(late.contents).toEqual((await written(scripted, 'now')).contents);
  });

  it('W2 is the same from any interleaving of the topics, with doubles and with what is no event', async () => {
    const plain = await scriptedLog();
    const mixed = await scriptedLog(undefined, (records) => {
      const byTopic = grouped(records, ({ topic }) => topic);
      const noise = records.slice(0, 40).map((record) => ({ ...record, value: '{' }));
      return [...noise, ...[...byTopic.values()].reverse().flatMap((list) => [...list, ...list])];
    });
    expect((await written(mixed, 3)).contents).toEqual((await written(plain, 3)).contents);
  });

  it('says which requests there are, and that an experiment has not started', async () => {
    const scripted = await scriptedLog();
    await expect(written(scripted, 5)).rejects.toThrow('there is no request 5 for candidates');
    await expect(written(scripted, 5)).rejects.toThrow('requests 1 to 4 so far');
    const early = await scriptedLog(undefined, (records) => records.slice(0, 1));
    expect(await sourceOf(early).domain()).toBeNull();
    await expect(written(early, 'now')).rejects.toMatchObject({ code: 'INPUT' });
    const lacking = await scriptedLog(undefined, (records) =>
      records.filter(({ topic }) => topic !== 'whale.archive.v1'),
    );
    await expect(written(lacking, 1)).rejects.toMatchObject({ code: 'WORKSPACE_INCOMPLETE', retryable: true });
  });

  it('shows the present of an experiment at any moment of it', async () => {
    const { records } = await scriptedLog();
    for (let length = 2; length < records.length; length += Math.ceil(records.length / 6)) {
      const part = await scriptedLog(undefined, (all) => all.slice(0, length));
      const { contents, missing } = await written(part, 'now');
      expect(missing).toBe(0);
      expect(contents.get('index.md')).toContain('As of now.');
    }
  });
});

describe('W1 sealed', () => {
  const sealedWorld = () =>
    scriptedLog({
      script: {
        question: (task) => (task.startsWith('harness-') ? `question of ${task}` : `${CANARY} question of ${task}`),
      },
    });

  it('holds nothing of the other splits, no gold answer, no component: every byte and every name is searched', async () => {
    const scripted = await sealedWorld();
    const sealedIds = scripted.events.flatMap(({ event }): string[] => {
      if (event.type === 'whale.rollout.completed.v1' && event.data.group.purpose !== 'harness')
        return [event.data.rolloutId];
      if (event.type === 'whale.evaluation.opened.v1' && event.data.search === null) return [event.data.evaluationId];
      return [];
    });
    expect(sealedIds.length).toBeGreaterThan(40);
    for (const at of [1, 2, 3, 4, 'now'] as const) {
      const { contents, trajectories } = await written(scripted, at);
      expect(trajectories).toBeGreaterThan(5);
      const all = [...contents].flat().join('\n');
      expect(all).toContain('question of harness-001');
      for (const text of [CANARY, 'weight-0', 'validation-0', 'test-0', ...sealedIds])
        expect(all.includes(text), text).toBe(false);
    }
  });

  it('leaves out what a corrupt score names: tasks of other splits, rollouts of another purpose, pair or task', async () => {
    const scripted = await sealedWorld();
    const rollouts = eventsOf(scripted, 'whale.rollout.completed.v1').map(({ data }) => data);
    const last = eventsOf(scripted, 'whale.harness.scored.v1').at(-1) as HarnessScored;
    const own = rollouts.find(({ group }) => group.id === last.data.evaluationId) as RolloutCompleted['data'];
    const stolen = ['test', 'validation', 'weight'].map((split) =>
      rollouts.find(({ taskId }) => taskId.startsWith(split)),
    ) as RolloutCompleted['data'][];
    const group = { id: 'corrupt', purpose: 'harness' } as const;
    const foreign: Partial<RolloutCompleted['data']>[] = [
      { group: { ...group, purpose: 'evaluation' } },
      { group: { ...group, id: 'another' } },
      { group, taskId: 'harness-002' },
      { group, harnessId: '0'.repeat(64) },
      { group, weightsVersion: 'w99' },
    ];
    const disguised = foreign.map((change, i): RolloutCompleted => {
      const trajectory = ['harness', CANARY].map((text) => ({ source: 'model' as const, text }));
      const data = { ...own, taskId: 'harness-001', rolloutId: `disguised-${i}`, trajectory, ...change };
      return { type: 'whale.rollout.completed.v1', data };
    });
    const named = [
      ...stolen,
      ...disguised.map(({ data }) => ({ ...data, taskId: 'harness-001' })),
      { ...stolen[0], taskId: 'harness-001' },
    ];
    const tasks = named.map(({ taskId = '', rolloutId = '' }) => ({
      taskId,
      rolloutId,
      outcome: 'correct' as const,
      diagnostics: {},
    }));
    const corrupt: HarnessScored = { ...last, data: { ...last.data, evaluationId: 'corrupt', tasks } };
    const context = { source: 'test', time: 0, correlationId: scripted.experimentId };
    await scripted.append([corrupt, ...disguised].map((event) => encodeEvent(event, context)));
    const { contents, missing } = await written(scripted, 'now');
    expect(missing).toBe(6);
    const all = [...contents].flat().join('\n');
    for (const text of [CANARY, 'weight-0', 'validation-0', 'test-0']) expect(all.includes(text), text).toBe(false);
    expect(contents.get('index.md')).toContain('6 trajectories are not on the log');
  });

  it('does not show a candidate that was refused because it held what it must not know', async () => {
    const scripted = await sealedWorld();
    const [first] = eventsOf(scripted, 'whale.candidate.rejected.v1');
    const leak = `${CANARY} gold of harness-001`;
    const data = { ...first?.data, number: 900, stage: 'leak', source: leak, hypothesis: leak, message: leak, line: 1 };
    const event = { type: 'whale.candidate.rejected.v1', data } as AnyEvent;
    await scripted.append([encodeEvent(event, { source: 'test', time: 0, correlationId: scripted.experimentId })]);
    const { contents } = await written(scripted, 'now');
    expect([...contents].flat().join('\n').includes(CANARY)).toBe(false);
    expect(contents.get('history.jsonl')).toContain('"number":900');
    expect(contents.get('history.jsonl')).toContain('"stage":"leak"');
  });

  it('knows nothing of other experiments on the same log', async () => {
    const scripted = await sealedWorld();
    const before = (await written(scripted, 'now')).contents;
    const other = await scriptedLog({ spec: { seed: 2 }, script: { question: () => CANARY } });
    await scripted.append(other.records);
    expect((await written(scripted, 'now')).contents).toEqual(before);
  });
});

describe('writing', () => {
  it('refuses a folder that is in use, and writes into one that is empty', async () => {
    const scripted = await scriptedLog();
    const source = sourceOf(scripted);
    const { domain } = scripted;
    const full = scripted.target();
    await mkdir(full);
    await writeFile(join(full, 'mine.txt'), 'mine');
    await expect(source.write(full, { domain, at: 1 })).rejects.toThrow(/is not empty\. .*name another/);
    expect(await readdir(full)).toEqual(['mine.txt']);
    await expect(source.write(join(full, 'mine.txt'), { domain, at: 1 })).rejects.toMatchObject({ code: 'INPUT' });
    await expect(source.write(join(full, 'mine.txt', 'x'), { domain, at: 1 })).rejects.toMatchObject({ code: 'INPUT' });
    const empty = scripted.target();
    await mkdir(empty);
    expect((await source.write(empty, { domain, at: 1 })).files).toBeGreaterThan(10);
    const deep = join(scripted.target(), 'not', 'there');
    expect((await source.write(deep, { domain, at: 1 })).directory).toBe(deep);
    const endless = join(scripted.target(), 'x'.repeat(300));
    await expect(source.write(endless, { domain, at: 1 })).rejects.toMatchObject({
      code: 'ENVIRONMENT',
    });
  });

  it('leaves nothing behind when it is stopped or a source is lost', async () => {
    const scripted = await scriptedLog();
    const { domain } = scripted;
    const target = scripted.target();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(sourceOf(scripted).write(target, { domain, at: 1, signal })).rejects.toThrow('stopped');
    const parts = () => readdir(dirname(target)).then((names) => names.filter((name) => name.includes('workspace')));
    expect(await parts()).toEqual([]);
    const [id = ''] = scripted.sources.keys();
    await rm(join(dirname(target), 'blobs', id.slice(0, 2), id));
    await expect(sourceOf(scripted).write(target, { domain, at: 1 })).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    expect(await parts()).toEqual([]);
  });

  it('writes a very long trajectory in parts that can be read, cuts an endless one, and reads claim checks', async () => {
    const scripted = await scriptedLog();
    const [long, endless, checked] = eventsOf(scripted, 'whale.rollout.completed.v1').filter(
      ({ data }) => data.group.purpose === 'harness',
    ) as RolloutCompleted[];
    const retold = async (event: RolloutCompleted | undefined, texts: string[]) => {
      const data = {
        ...(event as RolloutCompleted).data,
        trajectory: texts.map((text) => ({ source: 'model' as const, text })),
      };
      return encodeEvent(
        { type: 'whale.rollout.completed.v1', data },
        { source: 'test', time: 0, correlationId: scripted.experimentId },
      );
    };
    const words = Array.from({ length: 30_000 }, (_, i) => `word-${i}`).join(' ');
    const inline = [
      await retold(long, [words, `${'x'.repeat(5_000)}needle\0\u001b[2J`]),
      await retold(endless, Array(60).fill('y'.repeat(100_000)) as string[]),
    ];
    const plain = await retold(checked, ['from the blob store']);
    const ref = await scripted.blobs.put(new TextEncoder().encode(plain.value));
    const claim = { ...plain, value: JSON.stringify(ref), headers: { ...plain.headers, ce_dataref: ref.uri } };
    const replaced = new Set([long, endless, checked].map((event) => event?.data.rolloutId));
    const again = await scriptedLog(undefined, (records) => [
      ...records.filter(({ topic, key }) => topic !== 'whale.rollouts.v1' || !replaced.has(key)),
      ...inline,
      claim,
    ]);
    await again.blobs.put(new TextEncoder().encode(plain.value));
    const { contents, directory } = await written(again, 1);
    for (const [path, content] of contents) expect(content.length, path).toBeLessThanOrEqual(PART_BYTES + 200);
    const folder = `harnesses/${long?.data.harnessId.slice(0, 12)}/trajectories/${long?.data.weightsVersion}`;
    const partsOf = (event: RolloutCompleted | undefined) =>
      [...contents.keys()].filter((path) => path.startsWith(`${folder}/${event?.data.taskId}`));
    expect(partsOf(long).length).toBe(2);
    const text = partsOf(long)
      .sort((a, b) => a.length - b.length)
      .map((path) => contents.get(path))
      .join('');
    const shown = await readFile(
      join(directory, partsOf(long).sort((a, b) => b.length - a.length)[0] as string),
      'utf8',
    );
    expect(text.match(/word-\d+/g)?.length).toBeGreaterThan(29_000);
    expect(shown).toContain('needle␀␛[2J');
    expect(partsOf(endless).length).toBe(16);
    const lastPart = partsOf(endless).find((path) => path.endsWith('~16.md')) ?? '';
    expect(contents.get(lastPart)?.trimEnd()).toMatch(/larger than 4 MiB\.\]$/);
    expect(contents.get(partsOf(checked)[0] as string)).toContain('from the blob store');
    const grep = readingTools.find(({ name }) => name === 'grep') as (typeof readingTools)[number];
    const found = await callTool(
      grep,
      { pattern: 'needle' },
      { root: directory, signal: new AbortController().signal },
    );
    expect(found.paths).toEqual([partsOf(long).find((path) => path.includes('~2'))]);
  });

  it('takes any task id', async () => {
    const ids = ['../../outside', '..', '/etc/passwd', 'A', 'a', 'a b', 'nul\0', 'x'.repeat(300), '.hidden', '問題 1'];
    const rename = (text: string) =>
      ids.reduce(
        (all, id, i) => all.replaceAll(`"harness-${String(i + 1).padStart(3, '0')}"`, JSON.stringify(id)),
        text,
      );
    const scripted = await scriptedLog(undefined, (records) =>
      records.map((record) => ({ ...record, value: rename(record.value) })),
    );
    const domain = { ...scripted.domain, tasks: () => [] };
    const { directory, trajectories } = await sourceOf(scripted).write(scripted.target(), { domain, at: 1 });
    expect(trajectories).toBe(10);
    const contents = await filesOf(directory);
    expect([...contents.keys()].filter((path) => path.includes('/trajectories/w')).length).toBe(10);
    expect(await readdir(dirname(directory))).not.toContain('outside');
    const [line] = jsonLines(contents.get([...contents.keys()].find((path) => path.endsWith('outcomes.jsonl')) ?? ''));
    expect(line).toMatchObject({ task: '../../outside' });
    expect(line?.['trajectory']).toMatch(/^trajectories\/w\d\/outside~[0-9a-f]{12}\.md$/);
  });
});
