// What a harness costs beside its model: the sandbox against the same effects without one, in the same run. h₀ of the
// atlas with the effects and results of real rollouts; a reply comes after a timer. About two minutes; for a machine
// that does nothing else.
//
//   npx tsx test/bench/sandbox.ts [--rollouts N] [--live N] [--repetitions N] [--write FILE]
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { Effect, EffectRecord } from '@whale/contracts';
import searchQa from '@whale/domain-search-qa';
import { HarnessSandbox } from '@whale/harness-sandbox';
import { InputError, type JsonValue } from '@whale/kernel';
import { format, resolveConfig } from 'prettier';
import { markdownTable, ratios, show } from './log/table.ts';

/** Milliseconds until a reply: a small model on a GPU of one's own, and a large one behind an API. */
const LATENCIES = [300, 1000];
const WORKERS = [1, 2];
/** Replies that a rollout of h₀ waits for. */
const CALLS = 2;
const TASKS = 50;
const GIB = 2 ** 30;
const [LOAD_BEFORE = 0] = loadavg();

const { values } = parseArgs({
  options: {
    /** Of one measurement of the cost. */
    rollouts: { type: 'string', default: '600' },
    live: { type: 'string', default: '1000' },
    repetitions: { type: 'string', default: '3' },
    write: { type: 'string' },
  },
});
const count = (name: 'rollouts' | 'live' | 'repetitions'): number => {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 1) throw new InputError(`--${name}: expected a whole number from 1`);
  return number;
};
const [rollouts, live, repetitions] = [count('rollouts'), count('live'), count('repetitions')];
const say = (line: string): void => console.error(line);
const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

interface Recorded {
  task: JsonValue;
  effects: readonly EffectRecord[];
}

const domain = await searchQa.load({ dataset: 'atlas', options: {} });
const source = domain.seedHarness;

/** One rollout: with `sandbox` the harness yields the effects, without it they are just served. */
type Side = HarnessSandbox | 'bare';

async function rollOut(side: Side, { task, effects }: Recorded, latency: number): Promise<void> {
  const serve = async (effect: Effect, index: number): Promise<JsonValue> => {
    if (effect.type === 'generate' && latency > 0) await sleep(latency);
    return effects[index]?.result ?? null;
  };
  if (side === 'bare') {
    for (const [index, { effect }] of effects.entries()) JSON.stringify(await serve(effect, index));
    return;
  }
  const { end, effects: asked } = await side.run({ source, task, onEffect: serve });
  if (end.kind !== 'answered' || asked.length !== effects.length) throw new Error(`ended as ${JSON.stringify(end)}`);
}

interface Measured {
  /** CPU ms of the process, for each rollout. */
  cpu: number;
  /** Wall ms of one rollout, mean. */
  wall: number;
  perSecond: number;
}

/** `number` rollouts, `atOnce` of them in flight at any time. */
async function measure(
  side: Side,
  recorded: readonly Recorded[],
  latency: number,
  number: number,
  atOnce: number,
): Promise<Measured> {
  let next = 0;
  let wall = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  // Rollouts of an experiment begin when others end, and not all in one moment.
  const spread = (CALLS * latency) / atOnce;
  const lane = async (_: unknown, first: number): Promise<void> => {
    await sleep(first * spread);
    for (let i = next++; i < number; i = next++) {
      const begun = performance.now();
      await rollOut(side, recorded[i % recorded.length] as Recorded, latency);
      wall += performance.now() - begun;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - startedAt) / 1000;
  return { cpu: (user + system) / 1000 / number, wall: wall / number, perSecond: number / seconds };
}

/** Rollouts of real tasks with the domain's own tools and a model that asks with the question and answers with a word. */
async function record(sandbox: HarnessSandbox): Promise<Recorded[]> {
  return Promise.all(
    domain
      .tasks('harness')
      .slice(0, TASKS)
      .map(async (task) => {
        const tools = domain.tools(task);
        const text = JSON.stringify(task.input).match(/[\w ]{9,60}/)?.[0] ?? 'mayor';
        let calls = 0;
        const { effects } = await sandbox.run({
          source,
          task: { ...task.input },
          onEffect: (effect) =>
            effect.type === 'tool'
              ? tools.call(effect.name, effect.args as Record<string, JsonValue>)
              : { text: calls++ === 0 ? `search: ${text}` : 'answer: Dask', finish: 'stop' },
        });
        return { task: { ...task.input }, effects };
      }),
  );
}

/** A B A B … */
async function inTurns(sides: readonly Side[], one: (side: Side) => Promise<Measured>): Promise<Measured[][]> {
  const results: Measured[][] = sides.map(() => []);
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const [i, side] of sides.entries()) results[i]?.push(await one(side));
  }
  return results;
}

const percent = (numbers: readonly number[]): string =>
  `${show(
    numbers.map((number) => number * 100),
    2,
  )}%`;

async function costTable(sandbox: HarnessSandbox, recorded: readonly Recorded[]): Promise<string> {
  const rows: string[][] = [];
  for (const latency of LATENCIES) {
    say(`cost at ${latency} ms`);
    const [ours = [], bare = []] = await inTurns([sandbox, 'bare'], (side) =>
      measure(side, recorded, latency, rollouts, 64),
    );
    const cpu = ours.map((one, i) => one.cpu - (bare[i]?.cpu ?? 0));
    const walls = bare.map(({ wall }) => wall);
    const later = ours.map((one, i) => one.wall - (walls[i] ?? 0));
    rows.push([
      `${latency} ms`,
      show(walls),
      show(cpu, 2),
      percent(ratios(cpu, walls)),
      show(later, 1),
      percent(ratios(later, walls)),
    ]);
  }
  return markdownTable(
    ['a reply takes', 'rollout without sandbox, ms', 'CPU of the sandbox, ms', 'share', 'later by, ms', 'share'],
    rows,
  );
}

async function liveTable(recorded: readonly Recorded[]): Promise<string> {
  const rows: string[][] = [];
  for (const workers of WORKERS) {
    for (const latency of [...LATENCIES, 0].reverse()) {
      say(`${live} live, ${workers} workers, ${latency} ms`);
      const sandbox = new HarnessSandbox({ workers, maxLive: live });
      await measure(sandbox, recorded, 0, 50, 50);
      const [ours = [], bare = []] = await inTurns([sandbox, 'bare'], (side) =>
        measure(side, recorded, latency, 4 * live, live),
      );
      const [fast, most] = [ours, bare].map((side) => side.map(({ perSecond }) => perSecond)) as [number[], number[]];
      const memory = (process.memoryUsage().rss / GIB).toFixed(1);
      rows.push([
        String(workers),
        latency === 0 ? 'no time' : `${latency} ms`,
        show(fast),
        latency === 0 ? '' : show(most),
        latency === 0 ? '' : show(ratios(fast, most), 2),
        memory,
      ]);
      await sandbox.close();
    }
  }
  return markdownTable(['workers', 'a reply takes', 'rollouts/s', 'without sandbox', 'ratio', 'process, GiB'], rows);
}

const sandbox = new HarnessSandbox({ workers: WORKERS.length, maxLive: live });
const recorded = await record(sandbox);
await measure(sandbox, recorded, 0, 200, 50);
const cost = await costTable(sandbox, recorded);
await sandbox.close();
const throughput = await liveTable(recorded);
const effects = recorded.reduce((sum, one) => sum + one.effects.length, 0) / recorded.length;
const text = await format(
  [
    '# Benchmarks of the sandbox',
    `Made by \`${['npx tsx test/bench/sandbox.ts', ...process.argv.slice(2)].join(' ')}\` on ${cpus().length} cores ` +
      `(${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / GIB)} GiB, Node ${process.versions.node}; load ` +
      `before the start ${LOAD_BEFORE.toFixed(1)}. h₀ of the atlas, ${effects.toFixed(1)} effects a rollout, with results of real ` +
      'rollouts; a reply comes after a timer. Without sandbox means that the same results are served after the same timers to ' +
      'nobody. The two run in turns (A B A B …): a cell is the median of the repetitions (smallest–largest), a ratio is formed ' +
      'for each pair of neighbours. Absolute numbers are of this machine; the ratios carry over.',
    '## Cost of a rollout',
    `${rollouts} rollouts, 64 at a time. CPU is that of the whole process, less that of the run without sandbox. Goal: below 1%.`,
    cost,
    `## ${live} live harnesses`,
    `${4 * live} rollouts, ${live} at any time; with replies that take no time the VMs are all that there is to wait for.`,
    throughput,
  ].join('\n\n'),
  { ...(await resolveConfig('docs/benchmarks.md')), parser: 'markdown' },
);
console.log(text);
if (values.write) writeFileSync(values.write, text);
