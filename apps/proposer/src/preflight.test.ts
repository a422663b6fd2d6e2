import { inspect } from 'node:util';
import type { ProposerSpec } from '@whale/contracts';
import { expect, test } from 'vitest';
import { proposerConfig } from './config.ts';
import { checkProposer } from './preflight.ts';

const prices = { input: 1, output: 1 };
const limits = { turns: 1, tokens: 1, usd: 1, seconds: 1 };
const claude: ProposerSpec = { kind: 'claude', model: 'm', maxTokens: 1, thinking: 'off', prices, limits };
const command = (program: string): ProposerSpec => ({
  kind: 'command',
  command: [program],
  environment: [],
  seconds: 1,
});
const PATH = process.env['PATH'];

test.each<[string, ProposerSpec, NodeJS.ProcessEnv]>([
  ['recombine', { kind: 'recombine' }, {}],
  ['random', { kind: 'random' }, {}],
  ['claude with a key', claude, { ANTHROPIC_API_KEY: 'sk-test' }],
  ['a program on the PATH', command('node'), { PATH }],
  ['a program by its path', command(process.execPath), {}],
])('%s can work', async (_, spec, environment) => {
  await checkProposer(spec, environment);
});

test.each<[string, ProposerSpec, NodeJS.ProcessEnv, string, RegExp]>([
  ['claude without a key', claude, {}, 'ENVIRONMENT', /ANTHROPIC_API_KEY/u],
  ['claude with an empty key', claude, { ANTHROPIC_API_KEY: ' ' }, 'ENVIRONMENT', /ANTHROPIC_API_KEY/u],
  [
    'a program that is nowhere',
    command('no-such-program'),
    { PATH },
    'ENVIRONMENT',
    /no program no-such-program on the PATH/u,
  ],
  ['a folder in place of a program', command('./apps'), { PATH }, 'ENVIRONMENT', /no program that can be started/u],
  [
    'a module that is not there',
    { kind: 'module', path: './no-such-module.ts', options: {}, seconds: 1 },
    {},
    'INPUT',
    /no-such-module\.ts/u,
  ],
])('%s is told before anything is spent', async (_, spec, environment, code, message) => {
  await expect(checkProposer(spec, environment)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('a configuration that is printed shows no key', () => {
  const { environment: _, ...config } = proposerConfig({ ANTHROPIC_API_KEY: 'sk-test' });
  expect(inspect(config, { depth: 9 }) + JSON.stringify(config)).not.toContain('sk-test');
  expect(config.anthropicKey()).toBe('sk-test');
});
