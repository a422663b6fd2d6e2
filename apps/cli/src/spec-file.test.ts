import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSpec } from './spec-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'whale-spec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SPEC = `
name: tiny
domain: { name: search-qa, dataset: atlas }
strategy: { kind: weight-only, weight: { epochs: 1 } }
`;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('a spec file', () => {
  it('is YAML or JSON', () => {
    const yaml = loadSpec(file('a.yaml', SPEC));
    const json = loadSpec(
      file('a.json', JSON.stringify({ name: 'tiny', domain: yaml.domain, strategy: yaml.strategy })),
    );
    expect(json).toEqual(yaml);
  });

  it.each(['examples/atlas.yaml', 'examples/atlas-small.yaml'])('%s is valid', (example) => {
    expect(loadSpec(join(import.meta.dirname, '../../..', example)).domain.name).toBe('search-qa');
  });

  it('can be changed by paths, with values as YAML', () => {
    const path = file('b.yaml', SPEC);
    const spec = loadSpec(path, [
      'seed=7',
      'strategy={ kind: harness-only, harness: { iterations: 2 } }',
      'domain.options.test=20',
    ]);
    expect(spec).toMatchObject({ seed: 7, strategy: { kind: 'harness-only' }, domain: { options: { test: 20 } } });
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown key', ['colour=red'], /colour: unknown key/],
    ['an unknown path', ['strategy.weight.epoch=2'], /strategy\.weight\.epoch: unknown key/],
    ['a negative budget', ['budget.rollouts=-5'], /budget\.rollouts: .*\(value: -5\)/],
    ['a value of another kind', ['seed=[1]'], /seed: .*number.*\(value: \[1\]\)/],
    ['an unknown strategy', ['strategy.kind=magic'], /strategy\.kind: /],
    ['a value that is not YAML', ['seed=[1'], /--set seed=\[1: the value is not YAML/],
    ['a tag', ['seed=!!js/function x'], /--set seed=!!js\/function x: the value is not YAML: Unresolved tag/],
    ['several values', ['seed=1\n---\n2'], /the value is not YAML: Source contains multiple documents/],
    ['a value that holds itself', ['domain.options=&a { b: *a }'], /an alias lies within what it names/],
    ['no path', ['=3'], /expected path=value/],
    ['no value', ['seed'], /expected path=value/],
    ['a path into a prototype', ['__proto__.polluted=1'], /expected path=value/],
  ])('with %s is refused with the path, the value and what was expected', (_name, changes, message) => {
    const path = file('c.yaml', SPEC);
    expect(() => loadSpec(path, changes)).toThrow(message);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('is refused by name when it is not there, a folder, not YAML, or no mapping', () => {
    expect(() => loadSpec(join(folder, 'none.yaml'))).toThrow(/there is no spec file .*none\.yaml/);
    expect(() => loadSpec(folder)).toThrow(/is a folder/);
    expect(() => loadSpec(file('d.yaml', 'name: [1,\nb: 2'))).toThrow(/d\.yaml:\d+ is not YAML/);
    expect(() => loadSpec(file('e.yaml', '- a\n- b'))).toThrow(/expected a mapping of keys, found a list/);
    expect(() => loadSpec(file('f.yaml', ''))).toThrow(/found nothing/);
    expect(() => loadSpec(file('h.yaml', `${SPEC}seed: !!js/function x`))).toThrow(
      /h\.yaml:5 is not YAML: Unresolved tag/,
    );
    // Aliases that blow up (a "billion laughs") end in an error, not in memory.
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'.split('').map((c, i) => `${c}: &${c} [${Array(10).fill(`*${'abcdefgh'[i]}`).join(',')}]`),
    ];
    expect(() => loadSpec(file('g.yaml', bomb.join('\n')))).toThrow(/is not YAML/);
  });
});
