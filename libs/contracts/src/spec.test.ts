import { InputError } from '@whale/kernel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { experimentIdOf, parseSpec } from './parse-spec.ts';
import { Spec } from './spec.ts';
import { arbitraryOf } from './support/arbitrary-of.ts';

const good = {
  name: 'atlas',
  domain: { name: 'search-qa', dataset: 'atlas' },
  strategy: { kind: 'weight-only', weight: { epochs: 1 } },
};

const claude = { kind: 'claude', model: 'some-model', prices: { input: 3, output: 15 } };

function complaint(input: unknown): string[] {
  try {
    parseSpec(input, 'my-spec.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    const [head, ...lines] = (error as Error).message.split('\n');
    expect(head).toBe('my-spec.yaml is not a valid experiment spec:');
    return lines;
  }
  throw new Error('the spec was accepted');
}

test('what is left out has the paper’s values', () => {
  expect(parseSpec(good, 'x')).toMatchObject({
    seed: 1,
    weight: { promptsPerStep: 50, rolloutsPerPrompt: 8 },
    harness: { candidates: 3, acceptance: 'argmax' },
    policy: { temperature: 1 },
    evaluation: { rolloutsPerTask: 8 },
  });
});

test.each<[string, unknown, string]>([
  [
    'a negative budget',
    { ...good, budget: { rollouts: -5 } },
    '  budget.rollouts: Too small: expected number to be >0 (value: -5)',
  ],
  ['an unknown key', { ...good, nonsense: 1 }, '  nonsense: unknown key'],
  ['an unknown key deep inside', { ...good, weight: { promptsPerSte: 3 } }, '  weight.promptsPerSte: unknown key'],
  [
    'an unknown strategy',
    { ...good, strategy: { kind: 'fast' } },
    `  strategy.kind: Invalid discriminator value. Expected 'fixed' | 'adaptive' | 'weight-only' | 'harness-only' | 'stagewise' | 'prompt-only' (value: "fast")`,
  ],
  [
    'a key of another strategy',
    { ...good, strategy: { ...good.strategy, cycles: 2 } },
    '  strategy.cycles: unknown key',
  ],
  [
    'a missing field',
    { ...good, domain: { name: 'd' } },
    '  domain.dataset: Invalid input: expected string, received undefined (value: missing)',
  ],
  [
    'a number that is none',
    { ...good, seed: NaN },
    '  seed: Invalid input: expected number, received NaN (value: NaN)',
  ],
  [
    'infinity in an option',
    { ...good, domain: { ...good.domain, options: { k: Infinity } } },
    '  domain.options.k: Invalid input (value: Infinity)',
  ],
  [
    'a number in quotes',
    { ...good, harness: { candidates: '3' } },
    '  harness.candidates: Invalid input: expected number, received string (value: "3")',
  ],
  [
    'half a cycle',
    { ...good, strategy: { kind: 'fixed', cycles: 0.5, weight: { epochs: 1 }, harness: { iterations: 1 } } },
    '  strategy.cycles: Invalid input: expected int, received number (value: 0.5)',
  ],
  [
    'a name that is no name',
    { ...good, name: 'Ä' },
    '  name: lower-case letters, digits and dashes, at most 63, not beginning with a dash (value: "Ä")',
  ],
  [
    'a prompt-only search without a schedule of its own',
    { ...good, strategy: { kind: 'prompt-only', schedule: { kind: 'weight-only' } } },
    `  strategy.schedule.kind: Invalid discriminator value. Expected 'fixed' | 'adaptive' (value: "weight-only")`,
  ],
  [
    'settings of a confirmation that nobody asked for',
    { ...good, harness: { confirm: { rolloutsPerTask: 4 } } },
    '  harness.confirm: belongs to acceptance: confirm, and the acceptance is argmax (value: {"rolloutsPerTask":4})',
  ],
  [
    'a key in the URL of the API',
    { ...good, proposer: { ...claude, baseUrl: 'https://me:key@proxy.example' } },
    '  proposer.baseUrl: expected a URL without user and password, as the spec stands in events (value: "https://me:key@proxy.example")',
  ],
  [
    'thinking that is neither a word nor a budget',
    { ...good, proposer: { ...claude, thinking: 'on' } },
    '  proposer.thinking: expected adaptive, off or { budgetTokens: 1024 or more } (value: "on")',
  ],
  ['nothing', null, '  (top level): Invalid input: expected object, received null (value: null)'],
])('%s is refused with path, value and expectation', (_, input, line) => {
  expect(complaint(input)).toEqual([line]);
});

test('all mistakes are told at once', () => {
  expect(complaint({ ...good, seed: -1, budget: { rollouts: 0 } })).toHaveLength(2);
});

describe('the experiment id', () => {
  test('is the name and eight digits, and must not change', () => {
    expect(experimentIdOf(parseSpec(good, 'x'))).toBe(experimentIdOf(parseSpec({ ...good, seed: 1 }, 'x')));
    expect(experimentIdOf(parseSpec(good, 'x'))).toMatch(/^atlas-[0-9a-f]{8}$/);
  });

  test.each([
    [good, 'atlas-801ff69b'],
    [{ ...good, strategy: { kind: 'adaptive', cycles: 3, weight: {}, harness: {} } }, 'atlas-b4669922'],
  ])('of a spec is what it was before there was more to choose from', (spec, id) => {
    expect(experimentIdOf(parseSpec(spec, 'x'))).toBe(id);
  });

  test('does not depend on the order of keys, and on every value', () => {
    fc.assert(
      fc.property(arbitraryOf(Spec), (value) => {
        const spec = parseSpec(value, 'x');
        const backwards = reversed(spec) as Spec;
        expect(experimentIdOf(backwards)).toBe(experimentIdOf(spec));
        expect(experimentIdOf(parseSpec(spec, 'x'))).toBe(experimentIdOf(spec));
        expect(experimentIdOf({ ...spec, seed: spec.seed + 1 })).not.toBe(experimentIdOf(spec));
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
