import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeEvent, type RolloutCompleted } from '@whale/contracts';
import { describe, expect, it } from 'vitest';
import { callTool } from '../tools/call.ts';
import { readingTools } from '../tools/reading-tools.ts';
import { PART_BYTES } from './folder-writer.ts';
import { filesOf, scriptedLog } from './support/scripted-log.ts';
import { eventsOf, jsonLines, sourceOf, written } from './support/written.ts';

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
