import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProposerSpec } from '@whale/contracts';
import { loadDomain } from '@whale/domain-loader';
import { Module } from '@whale/proposers';
import { contractRequest, drive } from '@whale/proposers/testing';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const page = readFileSync(new URL('../../docs/proposers.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'gu'))].map(([, text = '']) => text);

it('the specs of docs/proposers.md are valid', () => {
  const specs = blocks('yaml').map((text) => (parse(text) as { proposer: unknown }).proposer);
  expect(specs.map((spec) => ProposerSpec.parse(spec).kind)).toEqual(['command', 'command', 'command']);
  const inline = [...page.matchAll(/`(\{ kind: .*? \})`/gu)].map(([, text = '']) => text);
  const kinds = inline.map((text) => (parse(text) as { kind: string }).kind);
  expect(new Set(kinds)).toEqual(new Set(ProposerSpec.options.map(({ shape }) => shape.kind.value)));
});

it('the module of docs/proposers.md writes a candidate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'whale-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'mine.ts');
  const [text = ''] = blocks('ts');
  writeFileSync(path, text);
  const options = { weight: 20, harness: 20, validation: 10, test: 10 };
  const domain = await loadDomain({ name: 'search-qa', dataset: 'atlas', options });
  const { drafts, end } = await drive(
    new Module(),
    contractRequest(domain, { kind: 'module', path, options: {}, seconds: 60 }),
  );
  expect(drafts).toHaveLength(1);
  expect(drafts[0]?.source).toContain('k: 6');
  expect(end).toBe('nothing more comes to mind');
});

it('the examples that docs/proposers.md names are there', () => {
  const named = [...page.matchAll(/(?:examples|test)\/[\w./-]+\.(?:ts|mjs|yaml)/gu)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(5);
  for (const path of named) readFileSync(new URL(`../../${path}`, import.meta.url));
});
