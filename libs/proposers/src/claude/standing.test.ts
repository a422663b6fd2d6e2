import { ProposerSpec } from '@whale/contracts';
import { expect, it } from 'vitest';
import type { ClaudeSpec } from './limits.ts';
import type { Spent, Turn } from './progress.ts';
import { standing } from './standing.ts';

const spec = ProposerSpec.parse({ kind: 'claude', model: 'm', prices: { input: 4, output: 20 } }) as ClaudeSpec;

function turns(count: number, spent: Partial<Spent> = {}, errors: (string | null)[] = []): Turn[] {
  const all: Spent = { tokens: 0, usd: 0, milliseconds: 0, ...spent };
  const results = errors.map((error) => ({ tool: 'write_candidate', text: '', error }));
  const turn = { stopReason: 'tool_use', blocks: [], context: 0, spent: all };
  return Array.from({ length: count }, (_, n) => ({ ...turn, turn: n + 1, results: n === 0 ? results : [] }));
}

it('says what is left, and how many candidates are valid', () => {
  const after = turns(3, { tokens: 123_456, usd: 1.254, milliseconds: 61_500 }, [null, 'rejected', null]);
  expect(standing(after, 20_000, 3, spec)).toBe(
    '[Left: 37 of 40 calls, $3.75 of $5.00, 1876k of 2000k tokens, 1738 of 1800 s. Valid candidates: 2 of 3.]',
  );
});

it.each<[string, Turn[], RegExp]>([
  ['the last call', turns(39), /Your next call may be the last: write what you have\.$/u],
  ['calls that run out', turns(37), /Only 3 more calls of this size are sure to fit: write soon\.$/u],
  ['money that runs out', turns(5, { usd: 4.2 }), /Your next call may be the last/u],
  ['tokens that run out', turns(5, { tokens: 1_910_000 }), /Only 2 more calls/u],
  ['time that runs out', turns(5, { milliseconds: 1_500_000 }), /Time is nearly up: write what you have\.$/u],
])('warns of %s', (_, after, warning) => {
  expect(standing(after, 20_000, 3, spec)).toMatch(warning);
});
