/**
 * RSFT of the embedded model without any service: how θ₀ fares under h₀ and under better harnesses, and how weight
 * steps move it under each. It is what the default experiment's numbers were chosen with (ADR 0004).
 *
 *   npx tsx test/bench/learning-curve.ts --steps 4 --prompts 25 --rollouts 8 --lr 4e-4 --harness h0,good
 *
 * A harness is `h0`, `good`, or `slot:variant+slot:variant+…` exchanged in h₀. `--accept random` accepts as many
 * rollouts at random as the verifier would: the control, which must gain nothing. Harnesses run natively here.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FolderBlobStore } from '@whale/blob-store';
import type { BlobRef, Message, RolloutEnd, TokenSample, WeightsRef } from '@whale/contracts';
import { withVariant, type Domain, type Task } from '@whale/domain-api';
import searchQa from '@whale/domain-search-qa';
import { loadTheta0 } from '@whale/embedded-lm';
import { rng } from '@whale/kernel';
import { EmbeddedPolicy } from '@whale/policy-embedded';
import { EmbeddedTrainer } from '@whale/trainer-embedded';
import { TrajectoryRecorder } from '../../apps/rollout/src/trajectory.ts';
import { compileHarness } from '../../libs/domains/search-qa/tools/native.ts';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '4' },
    prompts: { type: 'string', default: '25' },
    rollouts: { type: 'string', default: '8' },
    lr: { type: 'string', default: '4e-4' },
    'batch-tokens': { type: 'string', default: '2048' },
    harness: { type: 'string', default: 'h0,good' },
    accept: { type: 'string', default: 'verified' },
    /** Weights go on from one harness to the next, as in alternating phases. */
    chain: { type: 'boolean', default: false },
    samples: { type: 'string', default: '4' },
    theta: { type: 'string' },
    seed: { type: 'string', default: 'curve' },
    workers: { type: 'string', default: '2' },
    options: { type: 'string', default: '{}' },
  },
});
const GOOD =
  'query:terse+search:eight+ranking:own-page-no-stale+packaging:dated-three+memory:latest-tidy+loop:forced+prompts:careful+finish:first-name';
const CONCURRENCY = 128;

const folder = await mkdtemp(join(tmpdir(), 'whale-curve-'));
const blobs = new FolderBlobStore(folder);
const policy = new EmbeddedPolicy({ blobs, workers: Number(values.workers) });
const trainer = new EmbeddedTrainer({ blobs });
const domain = await searchQa.load({ dataset: 'atlas', options: JSON.parse(values.options) });
type Compiled = ReturnType<typeof compileHarness>;

function harnessOf(name: string): Compiled {
  const exchanges = name === 'h0' ? [] : (name === 'good' ? GOOD : name).split('+');
  const source = exchanges.reduce((text, wanted) => {
    const variant = domain.components.find((component) => `${component.slot}:${component.name}` === wanted);
    if (variant === undefined) throw new Error(`no variant ${wanted}`);
    return withVariant(text, variant);
  }, domain.seedHarness);
  return compileHarness(source);
}

interface Outcome {
  reward: number;
  diagnostics: Awaited<ReturnType<Domain['verify']>>['diagnostics'];
  samples: TokenSample[];
  calls: number;
}

async function rollOut(weights: WeightsRef, harness: Compiled, task: Task, seed: string): Promise<Outcome> {
  const recorder = new TrajectoryRecorder();
  const tools = domain.tools(task);
  const run = harness(task.input, {});
  let end: RolloutEnd | undefined;
  let input: unknown;
  let calls = 0;
  for (let effects = 0; end === undefined; effects++) {
    if (effects > 16) end = { kind: 'truncated', reason: 'effects' };
    const { done, value } = run.next(input);
    if (done === true) {
      const { answer } = value;
      end = answer === null ? { kind: 'truncated', reason: 'no_answer' } : { kind: 'answered', answer };
    } else if (value.type === 'tool') {
      input = await tools.call(value.name, value.args);
    } else {
      const messages: Message[] = value.messages;
      const request = { weights, messages, stop: [], maxTokens: 20, temperature: 1, seed: `${seed}/${calls++}` };
      const generation = await policy.generate(request);
      recorder.generated(messages, generation);
      input = { text: generation.text, finish: generation.finish };
    }
  }
  const verdict = await domain.verify({ task, end, trajectory: recorder.segments });
  return { ...verdict, samples: recorder.samples, calls };
}

/** Rollouts of each task, `count` a task, in a fixed order. */
async function rollOutAll(
  weights: WeightsRef,
  harness: Compiled,
  tasks: readonly Task[],
  count: number,
  seed: string,
): Promise<Outcome[]> {
  const jobs = tasks.flatMap((task) => Array.from({ length: count }, (_, g) => ({ task, g })));
  const out: Outcome[] = [];
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < jobs.length; i = next++) {
      const { task, g } = jobs[i] as (typeof jobs)[number];
      out[i] = await rollOut(weights, harness, task, `${seed}/${task.id}/${g}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return out;
}

const mean = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number) =>
  outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / outcomes.length;
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function evaluate(weights: WeightsRef, harness: Compiled): Promise<string> {
  const since = performance.now();
  const outcomes = await rollOutAll(weights, harness, domain.tasks('test'), Number(values.samples), 'eval');
  const share = (name: string) => mean(outcomes, ({ diagnostics }) => Number(diagnostics[name] ?? 0)).toFixed(2);
  const took = (performance.now() - since) / 1000;
  return (
    `${mean(outcomes, ({ reward }) => reward).toFixed(3)} (format ${share('format')}, retrieval ${share('retrieval')}, ` +
    `truncation ${share('truncation')}; ${outcomes.length} rollouts, ${(outcomes.length / took).toFixed(0)}/s)`
  );
}

function accepted(outcomes: readonly Outcome[], seed: string): TokenSample[] {
  const right = outcomes.filter(({ reward }) => reward === 1);
  const chosen = values.accept === 'random' ? rng(seed).shuffle(outcomes).slice(0, right.length) : right;
  return chosen.flatMap(({ samples }) => samples);
}

const theta0 = values.theta === undefined ? await loadTheta0() : new Uint8Array(await readFile(values.theta));
try {
  const start: WeightsRef = { version: 'w0', ...(await blobs.put(theta0)) };
  let weights = start;
  let optimizer: BlobRef | null = null;
  let taken = 0;
  for (const name of values.harness.split(',')) {
    const harness = harnessOf(name);
    if (!values.chain) [weights, optimizer, taken] = [start, null, 0];
    console.log(`${name}: ${weights.version} ${await evaluate(weights, harness)}`);
    const order = rng(values.seed).shuffle(domain.tasks('weight'));
    for (const last = taken + Number(values.steps); taken < last;) {
      const step = ++taken;
      const since = performance.now();
      const prompts = Number(values.prompts);
      const tasks = Array.from({ length: prompts }, (_, i) => order[((step - 1) * prompts + i) % order.length] as Task);
      const outcomes = await rollOutAll(weights, harness, tasks, Number(values.rollouts), `${values.seed}/${step}`);
      const rollSeconds = seconds(since);
      const samples = accepted(outcomes, `${values.seed}/accept/${step}`);
      if (samples.length === 0) {
        console.log(`${name}: step ${step} accepted nothing`);
        continue;
      }
      const trainSince = performance.now();
      const update = await trainer.update({
        updateId: `${name}/${step}`,
        weights,
        optimizer,
        samples,
        learningRate: Number(values.lr),
        batchTokens: Number(values['batch-tokens']),
        seed: `${values.seed}/${step}`,
      });
      weights = { version: `w${step}`, ...update.weights };
      optimizer = update.optimizer;
      const trainSeconds = seconds(trainSince);
      console.log(
        `${name}: w${step} ${await evaluate(weights, harness)}  reward in the step ${mean(outcomes, (o) => o.reward).toFixed(3)}, ` +
          `${samples.length} samples, ${update.totalTokens} tokens, ${update.lossTokens} with loss ${update.loss.toFixed(3)}, ` +
          `${update.batches} batches; rollouts ${rollSeconds}, training ${trainSeconds}`,
      );
    }
  }
} finally {
  await policy.close();
  await trainer.close();
  await rm(folder, { recursive: true, force: true });
}
