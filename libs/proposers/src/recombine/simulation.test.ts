import { describe, expect, it } from 'vitest';
import type { Proposer } from '../proposer.ts';
import { Recombine } from './recombine.ts';
import { randomPicking, searchPhase } from './testing/search.ts';
import { syntheticDomain } from './testing/synthetic.ts';

const SEEDS = 24;

/** True success rates of the accepted harness, h₀ first, for each seed: 6 iterations of 3 candidates on 40 tasks. */
async function climbs(proposer: Proposer): Promise<number[][]> {
  const runs: number[][] = [];
  for (let i = 0; i < SEEDS; i++) {
    const { domain, measure, truth } = syntheticDomain({ seed: `s${i}` });
    const run = await searchPhase({ domain, measure, proposer, iterations: 6, count: 3, seed: `x${i}` });
    runs.push(run.incumbents.map(truth));
  }
  return runs;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const after = (runs: readonly number[][], iteration: number) => runs.map((run) => run[iteration] ?? 0);

describe(`a harness phase on ${SEEDS} synthetic domains (7 slots of 4 variants, effects and interactions, binomial noise)`, () => {
  it('climbs well above h₀, and faster than blind picking', async () => {
    const recombine = await climbs(new Recombine());
    const blind = await climbs(randomPicking);
    const gain = mean(after(recombine, 6)) - mean(after(recombine, 0));
    expect(gain).toBeGreaterThan(0.25);
    for (const iteration of [2, 4, 6]) {
      expect(mean(after(recombine, iteration))).toBeGreaterThan(mean(after(blind, iteration)) + 0.04);
    }
    // Reliably: hardly a domain where it does not get anywhere.
    const stuck = recombine.filter((run) => (run[6] ?? 0) < (run[0] ?? 0) + 0.03);
    expect(stuck.length).toBeLessThanOrEqual(2);
    // Paired by domain, the difference is beyond chance (one-sided t > 2.5).
    const differences = recombine.map((run, i) => (run[6] ?? 0) - (blind[i]?.[6] ?? 0));
    const centre = mean(differences);
    const error = Math.sqrt(mean(differences.map((d) => (d - centre) ** 2)) / (SEEDS - 1));
    expect(centre / error).toBeGreaterThan(2.5);
  });
});
