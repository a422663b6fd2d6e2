import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scriptedData, type ScriptedData } from '../support/scripted-data.ts';
import { scratchFolder, whale } from '../support/whale-process.ts';

const scratch = scratchFolder('workspace');
const data = join(scratch.path, 'data');
let experiment: ScriptedData;

beforeAll(async () => {
  experiment = await scriptedData(data);
});
afterAll(() => scratch.remove());

const command = (...args: string[]) => whale(['workspace', ...args, '--data', data]);

it('writes the archive of now, and tells what it wrote', async () => {
  const folder = join(scratch.path, 'now');
  const { code, stdout, stderr } = await command('scripted', folder);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/now: 13 harnesses, \d+ trajectories; read index\.md first\nunder w6 the incumbent is /);
  const named = experiment.archive.entries.map(({ harnessId }) => harnessId.slice(0, 12));
  expect(readdirSync(join(folder, 'harnesses')).sort()).toEqual([...new Set(named)].sort());
  expect(readFileSync(join(folder, 'index.md'), 'utf8')).toContain('As of now.');
});

it('writes the archive as it stood at a request, with --json for programs', async () => {
  const folder = join(scratch.path, 'deep', 'second');
  const { code, stdout } = await command(experiment.experimentId, '--at', '2', folder, '--json');
  expect(code).toBe(0);
  const request = experiment.events
    .map(({ event }) => event)
    .filter(({ type }) => type.startsWith('whale.candidates.requested'))[1];
  const { incumbent, weights } = request?.data as { incumbent: { id: string }; weights: { version: string } };
  expect(JSON.parse(stdout)).toMatchObject({
    experimentId: experiment.experimentId,
    at: 2,
    directory: folder,
    weights: weights.version,
    incumbent: incumbent.id,
    harnesses: 4,
    missing: 0,
  });
  expect(readFileSync(join(folder, 'index.md'), 'utf8')).toContain('Cycle 1, iteration 2: 3 candidates are wanted.');
});

it.each<[string, string[], RegExp]>([
  [
    'a request that is not there',
    ['scripted', 'free', '--at', '5'],
    /no request 5 for candidates: .* requests 1 to 4 so far/,
  ],
  ['a number that is none', ['scripted', 'free', '--at', '0'], /--at 0: expected the number of a request/],
  ['an unknown experiment', ['nobody', 'free'], /no experiment is called "nobody"/],
  ['a folder in use', ['scripted', 'used'], /used is not empty\. .*name another/],
  ['a missing folder', ['scripted'], /missing required argument 'dir'/],
])('answers %s as bad input and writes nothing', async (_name, [id = '', folder, ...rest], message) => {
  mkdirSync(join(scratch.path, 'used'), { recursive: true });
  writeFileSync(join(scratch.path, 'used', 'mine.txt'), 'mine');
  const { code, stdout, stderr } = await command(
    id,
    ...(folder === undefined ? [] : [join(scratch.path, folder)]),
    ...rest,
  );
  expect(stderr).toMatch(message);
  expect([code, stdout]).toEqual([2, '']);
  expect(existsSync(join(scratch.path, 'free'))).toBe(false);
  expect(readdirSync(join(scratch.path, 'used'))).toEqual(['mine.txt']);
});

it('answers a folder that cannot be written, and a source that is lost, as faults of the environment', async () => {
  const unwritable = await command('scripted', join(scratch.path, 'x'.repeat(300)));
  expect(unwritable).toMatchObject({ code: 3, stderr: expect.stringContaining('the workspace cannot be written to') });
  const [id = ''] = experiment.sources.keys();
  rmSync(join(data, 'blobs', id.slice(0, 2), id));
  const lost = await command('scripted', join(scratch.path, 'lost'));
  expect(lost).toMatchObject({ code: 3, stderr: expect.stringContaining(id) });
  expect(existsSync(join(scratch.path, 'lost'))).toBe(false);
});
