import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileName, folderNames, partName } from './names.ts';

const ODD = [
  '..',
  '.',
  '',
  '../../x',
  '/etc/passwd',
  'a b',
  'a_b',
  'A',
  'a',
  'Ä',
  'é',
  'e\u0301',
  'a.',
  '.a',
  '-a',
  '~',
  '~a',
];
const LONG = [
  'x'.repeat(300),
  `${'x'.repeat(299)}y`,
  'nul\0',
  'a\nb',
  'con',
  '問題 1',
  '問題 2',
  '\ud800',
  'a~2',
  'harness-001',
];

it('gives every id a name of its own, on any file system, that stays in its folder', () => {
  const names = new Map<string, string>();
  const check = (id: string) => {
    const name = fileName(id);
    expect(name).toMatch(/^[a-z0-9][a-z0-9._~-]{0,90}$/);
    expect(name.endsWith('.')).toBe(false);
    expect(fileName(id)).toBe(name);
    expect(names.get(name) ?? id).toBe(id);
    names.set(name, id);
    // No part of a file is the file of another id.
    for (const part of [2, 17]) expect(names.has(partName(`${name}.md`, part).slice(0, -3))).toBe(false);
  };
  for (const id of [...ODD, ...LONG]) check(id);
  for (const id of [...names.keys()]) if (fileName(id) !== id) check(id);
  fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z0-9._~-]{1,12}$/)), check), {
    numRuns: 2_000,
  });
  expect(fileName('harness-001')).toBe('harness-001');
});

it('names harnesses by twelve digits, by more where these are shared', () => {
  const [a, b] = [`${'0'.repeat(14)}a`.padEnd(64, '1'), `${'0'.repeat(14)}b`.padEnd(64, '1')];
  expect([...folderNames(['f'.repeat(64)]).values()]).toEqual(['f'.repeat(12)]);
  expect([...folderNames([a, b, a]).values()]).toEqual([a.slice(0, 16), b.slice(0, 16)]);
});
