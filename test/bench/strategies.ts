// The four strategies on the same budget of weight and harness rollouts, over several seeds: the table of the README.
//
//   npx tsx test/bench/strategies.ts [--seeds 1,2,3] [--budget N] [--data DIR] [--write docs/strategies.md]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scratchFolder, whale } from '../support/whale-process.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    budget: { type: 'string' },
    spec: { type: 'string', default: 'examples/atlas.yaml' },
    data: { type: 'string' },
    write: { type: 'string' },
  },
});

/** Wide bounds where the budget is what ends a strategy. */
const STRATEGIES: Readonly<Record<string, string>> = {
  fixed: '',
  adaptive: `{ kind: adaptive, cycles: 4, weight: { window: 0.2, minimum: 0.2, patience: 0.2, maximum: 1 }, harness: { minimum: 3, patience: 2, maximum: 8 } }`,
  'weight-only': '{ kind: weight-only, weight: { epochs: 100 } }',
  'harness-only': '{ kind: harness-only, harness: { iterations: 1000 } }',
};

interface Estimate {
  mean: number;
  n: number;
  low: number;
  high: number;
}

interface Shown {
  base: Estimate;
  best: Estimate;
  ledger: { rollouts: { weight: number; harness: number; evaluation: number } };
}

const percent = (share: number) => (100 * share).toFixed(1);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

async function runOne(strategy: string, seed: string, budget: string, data: string): Promise<Shown> {
  const sets = [`seed=${seed}`, `budget.rollouts=${budget}`];
  const kind = STRATEGIES[strategy];
  if (kind) sets.push(`strategy=${kind}`);
  const started = Date.now();
  const run = await whale(['run', values.spec, '--data', data, ...sets.flatMap((set) => ['--set', set])]);
  if (run.code !== 0) throw new Error(`${strategy} seed ${seed} ended with ${run.code}: ${run.stderr}`);
  const shown = JSON.parse((await whale(['show', '--json', '--data', data])).stdout) as Shown;
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.error(`${strategy} seed ${seed}: ${percent(shown.base.mean)} → ${percent(shown.best.mean)} (${seconds} s)`);
  return shown;
}

const scratch = values.data ? null : scratchFolder('strategies');
const data = values.data ?? (scratch?.path as string);
const seeds = values.seeds.split(',');
const budget = values.budget ?? '8640';

const rows: string[] = [];
for (const strategy of Object.keys(STRATEGIES)) {
  const shown: Shown[] = [];
  for (const seed of seeds) shown.push(await runOne(strategy, seed, budget, join(data, `${strategy}-${seed}`)));
  const each = shown.map(({ best }) => `${percent(best.mean)} [${percent(best.low)}, ${percent(best.high)}]`);
  const spent = shown.map(({ ledger }) => ledger.rollouts);
  rows.push(
    `| \`${strategy}\` | ${percent(mean(shown.map(({ base }) => base.mean)))} | ` +
      `**${percent(mean(shown.map(({ best }) => best.mean)))}** | ${each.join(' · ')} | ` +
      `${Math.round(mean(spent.map((ledger) => ledger.weight)))} + ${Math.round(mean(spent.map((l) => l.harness)))} |`,
  );
}
const table = [
  `| strategy | (θ₀, h₀) | best pair, mean of ${seeds.length} seeds | each seed [95% interval] | rollouts weight + harness |`,
  '| --- | --- | --- | --- | --- |',
  ...rows,
].join('\n');
console.log(table);
if (values.write) {
  const heading = `# The four strategies on the same budget\n\nTest accuracy in percent of the pair chosen on validation; at most ${budget} weight and harness rollouts; seeds ${seeds.join(', ')}.\nMade by \`npx tsx test/bench/strategies.ts --write ${values.write}\` from \`${values.spec}\`.\n\n`;
  // What stands below the table was written by people.
  const before = existsSync(values.write) ? readFileSync(values.write, 'utf8') : '';
  const rest = before.includes('\n## ') ? before.slice(before.indexOf('\n## ')) : '';
  writeFileSync(values.write, `${heading}${table}\n${rest}`);
}
scratch?.remove();
