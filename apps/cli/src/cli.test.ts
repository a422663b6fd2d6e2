import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scratchFolder, whale, whaleIn } from './support/whale-process.ts';
import { buildProgram } from './program.ts';
import { scriptedData, type ScriptedData } from './support/scripted-data.ts';

// Each test starts commands; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 });

const scratch = scratchFolder('cli');
const data = join(scratch.path, 'data');
const two = join(scratch.path, 'two');
let experiment: ScriptedData;
let other: ScriptedData;

beforeAll(async () => {
  experiment = await scriptedData(data);
  await scriptedData(two);
  other = await scriptedData(two, { spec: { seed: 2 } });
}, 120_000);
afterAll(() => scratch.remove());

const SPEC = 'examples/atlas-small.yaml';

describe('whale', () => {
  it('says what it is, with every command', async () => {
    const { code, stdout } = await whale(['--help']);
    expect(code).toBe(0);
    const names =
      'run ls show report events audit workspace rebuild services topics pretrain domain harness doctor'.split(' ');
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  });

  it('has an example in the help of each command', async () => {
    const leaves = (command: Command): Command[] =>
      command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
    for (const command of leaves(await buildProgram([]))) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help, command.name()).toMatch(/Example:\n {2}\$ whale /);
    }
  });

  it.each([['rnu'], ['ls --colour'], ['run'], ['topics extra']])('whale %s is bad input', async (line) => {
    const { code, stdout, stderr } = await whale(line.split(' '));
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: /);
  });
});

describe('looking at data', () => {
  it('ls lists, as a table and as JSON, and makes no folder', async () => {
    const { code, stdout, stderr } = await whale(['ls', '--data', data]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`${experiment.experimentId} +completed +fixed +\\d+\\.\\d% \\[.*n=48`));
    const json = JSON.parse((await whale(['ls', '--json', '--data', two])).stdout) as { experimentId: string }[];
    expect(json.map((one) => one.experimentId)).toEqual([experiment.experimentId, other.experimentId]);
    const nowhere = join(scratch.path, 'nowhere');
    expect(await whale(['--data', nowhere, 'ls'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No experiments'),
    });
    expect(existsSync(nowhere)).toBe(false);
  });

  it('show tells the result, by id, by its beginning, or without where there is one', async () => {
    const { code, stdout } = await whale(['show', '--data', data]);
    expect(code).toBe(0);
    expect(stdout).toContain('Test accuracy rose from');
    const { stdout: json } = await whale(['show', experiment.experimentId.slice(0, 11), '--json', '--data', two]);
    expect(JSON.parse(json)).toMatchObject({
      experimentId: experiment.experimentId,
      status: 'completed',
      stateHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it.each([['show'], ['report'], ['events'], ['audit']])(
    '%s of an unknown experiment names those that are known',
    async (command) => {
      const { code, stderr } = await whale([command, 'nope', '--data', two]);
      expect(code).toBe(2);
      expect(stderr).toContain('"nope"');
      expect(stderr).toContain(experiment.experimentId);
      expect(stderr).toContain(other.experimentId);
    },
  );

  it('without an id it is the experiment submitted last, and which that is is said beside the output', async () => {
    const { code, stdout, stderr } = await whale(['show', '--json', '--data', two]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ experimentId: other.experimentId });
    expect(stderr).toBe(`${other.experimentId}: submitted last of 2 in ${two}\n`);
    expect((await whale(['show', '--data', data])).stderr).toBe('');
    for (const command of ['report', 'events', 'audit', 'rebuild']) {
      const told = await whale([command, '--data', two]);
      expect(told.stderr, command).toContain(`${other.experimentId}: submitted last`);
      expect(`${told.stdout}${command}`).not.toContain(experiment.experimentId);
    }
  });

  it('show asks for a longer beginning', async () => {
    expect(await whale(['show', 'scripted', '--data', two])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('more than one'),
    });
  });

  it('events are JSON lines, by type', async () => {
    const { code, stdout } = await whale(['events', '--type', 'PhaseEnded', '--data', data]);
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: { reason: string } });
    expect(events.map((event) => event.type)).toEqual(Array(4).fill('whale.phase.ended.v1'));
    const all = (await whale(['events', '--follow', '--data', data])).stdout.trim().split('\n');
    expect(all).toHaveLength(experiment.events.length);
    expect(await whale(['events', '--type', 'Nope', '--data', data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('whale.phase.ended.v1'),
    });
  });

  it('report writes one file, where it is told to', async () => {
    const out = join(scratch.path, 'deep', 'report.html');
    const { code, stdout } = await whale(['report', '--out', out, '--data', data]);
    expect([code, stdout.trim()]).toEqual([0, out]);
    expect(readFileSync(out, 'utf8')).toContain('One task, before and after');
    const bad = await whale(['report', '--out', join(data, 'log.sqlite', 'x.html'), '--data', data]);
    expect(bad).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be written') });
  });

  it('topics name their one writer', async () => {
    const { stdout } = await whale(['topics', '--json']);
    const topics = JSON.parse(stdout) as { topic: string; writer: string; events: unknown[] }[];
    expect(topics).toContainEqual(expect.objectContaining({ topic: 'whale.weights.v1', writer: 'trainer-gateway' }));
    expect(topics.every((topic) => topic.events.length > 0)).toBe(true);
    expect((await whale(['topics'])).stdout).toMatch(
      /whale\.archive\.v1 +archive +experimentId +3 +whale\.harness\.scored\.v1/,
    );
  });

  it('a log that is none is an error of the environment, without a stack', async () => {
    const broken = join(scratch.path, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'log.sqlite'), 'this is not a database, whatever its name says'.repeat(100));
    const { code, stderr } = await whale(['ls', '--data', broken]);
    expect(code).toBe(3);
    expect(stderr).toContain('log.sqlite');
    expect(stderr).not.toMatch(/^ +at /m);
    expect((await whale(['ls', '--data', broken], { WHALE_DEBUG: '1' })).stderr).toMatch(/^ +at /m);
  });
});

const CLAUDE = { kind: 'claude', model: 'x', 'prices.input': '1', 'prices.output': '1' };

describe('an experiment in a folder that cannot be written', () => {
  const archived = join(scratch.path, 'archived');
  beforeAll(async () => {
    await scriptedData(archived);
    chmodSync(scratch.path, 0o755);
    chmodSync(join(archived, 'log.sqlite'), 0o444);
    chmodSync(archived, 0o555);
  });
  afterAll(() => chmodSync(archived, 0o755));
  // Rights do not bind root.
  const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};

  it.each(['ls', 'show', 'show --json', 'events', 'audit'])('is read by whale %s', async (line) => {
    const { code, stdout, stderr } = await whaleIn(uid, [...line.split(' '), '--data', archived]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe((await whale([...line.split(' '), '--data', archived])).stdout);
  });

  it('has its report written elsewhere', async () => {
    const { code, stderr } = await whaleIn(uid, ['report', '--data', archived]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^error: the report cannot be written .* --out FILE/)]);
    const elsewhere = join(scratch.path, 'elsewhere');
    mkdirSync(elsewhere);
    chmodSync(elsewhere, 0o777);
    const out = join(elsewhere, 'report.html');
    expect(await whaleIn(uid, ['report', '--out', out, '--data', archived])).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(out, 'utf8')).toContain('One task, before and after');
  });
});

describe('a place that cannot be', () => {
  const file = join(scratch.path, 'a-file');
  beforeAll(() => writeFileSync(file, ''));

  it.each(['ls', 'show', 'events', 'audit', 'rebuild', 'services', 'doctor', `run ${SPEC}`])(
    '%s says so',
    async (line) => {
      const args = line.split(' ');
      const message = /^error: --data: .*a-file.* is no folder.*\n$/;
      for (const place of [file, join(file, 'data')]) {
        expect(await whale([...args, '--data', place])).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringMatching(message),
        });
      }
      expect(await whale([...args, '--data', ''])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^error: --data: expected a folder, found an empty text/),
      });
    },
  );

  it('names the variable where it is the environment that says it', async () => {
    const { code, stderr } = await whale(['ls'], { WHALE_DATA: file });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: WHALE_DATA: .*a-file is no folder/)]);
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk for what is printed is told without a stack', async () => {
    const full = openSync('/dev/full', 'w');
    for (const line of ['ls', 'events', '--help']) {
      const { code, stderr } = await whaleIn({ stdout: full }, [...line.split(' '), '--data', data]);
      expect([code, stderr]).toEqual([3, expect.stringMatching(/^error: the output cannot be written: ENOSPC.*\n$/)]);
    }
    // Nor does it hide how the command went.
    expect((await whaleIn({ stderr: full }, ['show', 'nope', '--data', data])).code).toBe(2);
    closeSync(full);
  });
});

describe('run with bad input writes nothing', () => {
  const fresh = join(scratch.path, 'fresh');
  it.each<[string, string[], number, RegExp]>([
    ['a missing file', ['nope.yaml'], 2, /there is no spec file nope\.yaml/],
    [
      'an unknown key',
      [SPEC, '--set', 'stratgy.cycles=3'],
      2,
      /atlas-small\.yaml is not a valid .*\n.*stratgy: unknown key/,
    ],
    ['a negative budget', [SPEC, '--set', 'budget.rollouts=-1'], 2, /budget\.rollouts: .*\(value: -1\)/],
    ['an unknown domain', [SPEC, '--set', 'domain.name=nope'], 2, /no domain is called "nope"; built in: search-qa/],
    ['an unknown option of the domain', [SPEC, '--set', 'domain.options.size=3'], 2, /size/],
    ['an unknown service', [SPEC, '--services', 'rolout'], 2, /no service is called "rolout"/],
    [
      'a proposer without its key',
      [SPEC, ...Object.entries(CLAUDE).flatMap(([key, value]) => ['--set', `proposer.${key}=${value}`])],
      3,
      /proposer claude: there is no ANTHROPIC_API_KEY/,
    ],
    [
      'a proposer whose module is not there',
      [SPEC, '--set', 'proposer.kind=module', '--set', 'proposer.path=./nope.ts'],
      2,
      /atlas-small\.yaml is not a valid .*\n.*nope\.ts/,
    ],
  ])('%s', async (_name, args, code, message) => {
    const result = await whale(['run', ...args, '--data', fresh], { ANTHROPIC_API_KEY: '' });
    expect(result.stderr).toMatch(message);
    expect(result.code).toBe(code);
    expect(existsSync(fresh)).toBe(false);
  });

  it('a data folder that cannot be written', async () => {
    const { code, stderr } = await whale(['run', SPEC, '--data', '/proc/whale']);
    expect(stderr).toMatch(/data folder .* cannot be written to: .*--data DIR/);
    expect(code).toBe(3);
  });
});

describe('checks', () => {
  it('domain check tries the promises of the built-in domain', async () => {
    const { code, stdout } = await whale(['domain', 'check', 'search-qa', '--option', 'weight=20']);
    expect(stdout).toContain('search-qa is sound');
    expect(stdout).toMatch(/weight 20, harness/);
    expect(code).toBe(0);
    expect(await whale(['domain', 'check', './nope.ts'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nope.ts'),
    });
  });

  const PROMPTS = "export const PROMPTS = { system: 'Search, then answer.' };\n";
  it.each<[string, string, RegExp]>([
    ['a syntax error', `${PROMPTS}export default function* (task, limits) { return {`, /:2(:\d+)? +parse: /],
    [
      'a type error',
      `${PROMPTS}export default function* () {\n  yield { type: 'tool', nme: 'search', args: {} };\n  return { answer: 'x' };\n}`,
      /types: /,
    ],
    [
      'an endless loop',
      `${PROMPTS}export default function* () { for (;;); return { answer: 'x' }; }`,
      /smoke: |types: /,
    ],
    [
      '1 GB of allocation',
      `${PROMPTS}export default function* () { const all: string[] = []; for (let i = 0; i < 1024; i++) all.push('x'.repeat(1 << 20) + i); return { answer: String(all.length) }; }`,
      /smoke: /,
    ],
  ])('harness check refuses %s', async (_name, source, message) => {
    const file = join(scratch.path, 'harness.ts');
    writeFileSync(file, source);
    const { code, stdout } = await whale(['harness', 'check', file]);
    expect(stdout).toMatch(message);
    expect(code).toBe(2);
  });

  it('harness check accepts h₀ and says when there is no file', async () => {
    const { default: domain } = await import('@whale/domain-search-qa');
    const { seedHarness } = await domain.load({ dataset: 'atlas', options: {} });
    const file = join(scratch.path, 'h0.ts');
    writeFileSync(file, seedHarness);
    expect(await whale(['harness', 'check', file])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is sound'),
    });
    expect(await whale(['harness', 'check', 'nope.ts'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nope.ts'),
    });
  });

  it('doctor finds all that is needed, or says what is missing', async () => {
    expect(await whale(['doctor', '--data', data])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All that is needed'),
    });
    const { code, stdout } = await whale(['doctor', '--json', '--data', '/proc/whale']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
  });
});
