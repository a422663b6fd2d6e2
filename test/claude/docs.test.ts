import { readFileSync } from 'node:fs';
import { ProposerSpec } from '@whale/contracts';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const page = readFileSync(new URL('../../docs/claude-proposer.md', import.meta.url), 'utf8');

it('the spec and the settings of docs/claude-proposer.md are valid, and its comments tell the defaults', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/u.exec(page) ?? [];
  const { proposer } = parse(yaml) as { proposer: unknown };
  const { kind, model, prices } = ProposerSpec.parse(proposer) as Extract<ProposerSpec, { kind: 'claude' }>;
  const bare = ProposerSpec.parse({ kind, model, prices }) as Extract<ProposerSpec, { kind: 'claude' }>;
  expect({ ...bare, baseUrl: 'https://api.anthropic.com' }).toEqual(proposer);
  expect(prices.cacheWrite).toBeCloseTo(1.25 * prices.input, 9);
  expect(prices.cacheRead).toBeCloseTo(0.1 * prices.input, 9);
  const settings = [...page.matchAll(/'proposer=(\{.*\})'/gu)].map(([, value]) =>
    ProposerSpec.parse(parse(value ?? '')),
  );
  expect(settings).toHaveLength(2);
});
