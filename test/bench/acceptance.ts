// What acceptance by confirmation costs and buys: the table of docs/strategies.md. Seconds, no rollouts.
//
//   npx tsx test/bench/acceptance.ts
import { rng, type Rng } from '@whale/kernel';
import { argmaxAcceptsNoise, comparePaired, confirmAcceptsNoise, confirmed } from '@whale/schedules';

const SIMULATIONS = 400;
const RATE = 0.3;
const tasks = Array.from({ length: 100 }, () => RATE);
const search = { tasks, batches: [3, 3, 3, 3, 3] };
const RULES = [
  { rolloutsPerTask: 2, level: 0.5 },
  { rolloutsPerTask: 2, level: 0.1 },
  { rolloutsPerTask: 2, level: 0.05 },
  { rolloutsPerTask: 4, level: 0.1 },
  { rolloutsPerTask: 8, level: 0.05 },
];

const percent = (share: number) => `${(100 * share).toFixed(0)}%`;

/** Share of confirmations that accept a candidate which is better by `gain` on each task. */
function power(rule: (typeof RULES)[number], gain: number): number {
  const random = rng(`power/${rule.rolloutsPerTask}/${rule.level}/${gain}`);
  let accepted = 0;
  for (let i = 0; i < SIMULATIONS; i++) {
    const pairs = tasks.map((p) => ({ challenger: task(random, rule, p + gain), incumbent: task(random, rule, p) }));
    if (confirmed(comparePaired(pairs), rule).accepted) accepted++;
  }
  return accepted / SIMULATIONS;
}

function task(random: Rng, { rolloutsPerTask: measured }: (typeof RULES)[number], p: number) {
  return {
    correct: Array.from({ length: measured }, () => random.float()).filter((draw) => draw < p).length,
    measured,
  };
}

console.log('| acceptance | fresh rollouts a confirmation | noise | power, +5 | power, +10 |');
console.log('| --- | --- | --- | --- | --- |');
console.log(`| \`argmax\` | 0 | ${percent(argmaxAcceptsNoise(search))} | | |`);
for (const rule of RULES) {
  const { rolloutsPerTask, level } = rule;
  const noise = `${level < 0.5 ? '≤ ' : ''}${percent(confirmAcceptsNoise(search, rule))}`;
  const cost = 2 * rolloutsPerTask * tasks.length;
  console.log(
    `| \`confirm\` ${rolloutsPerTask}, level ${level} | ${cost} | ${noise} | ${percent(power(rule, 0.05))} | ${percent(power(rule, 0.1))} |`,
  );
}
