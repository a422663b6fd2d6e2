import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireRecord } from '@whale/contracts';
import { sha256 } from '@whale/kernel';
import { describe, expect, it } from 'vitest';
import { scriptedLog } from './support/scripted-log.ts';
import { eventsOf, grouped, jsonLines, sourceOf, written } from './support/written.ts';

const REQUESTED = 'whale.candidates.requested.v2';

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
