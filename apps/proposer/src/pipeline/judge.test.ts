import type { Effect, ProposerSpec, RolloutCompleted } from '@whale/contracts';
import { HarnessChecker, HarnessSandbox } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import type { ArchiveEntry, Draft } from '@whale/proposers';
import { afterAll, describe, expect, it } from 'vitest';
import { ROLLOUT_LIMITS } from '../rollout-limits.ts';
import { viewOn } from '../testing/requests.ts';
import { smallDomain } from '../testing/small-domain.ts';
import { Behaviour, type BehaviourParts } from './behaviour.ts';
import { Judge } from './judge.ts';

const sandbox = new HarnessSandbox();
const checker = new HarnessChecker({ sandbox });
afterAll(async () => {
  await checker.close();
  await sandbox.close();
});

const domain = smallDomain([]);
const h0 = domain.seedHarness;
const signal = new AbortController().signal;
const command: ProposerSpec = { kind: 'command', command: ['x'], environment: [], seconds: 1 };

/** What the sources did on the domain's task, where the model says what it was told. */
async function measured(...sources: string[]) {
  const rollouts = new Map<string, RolloutCompleted['data']>();
  const archive: ArchiveEntry[] = [];
  for (const source of sources) {
    const rolloutId = `rollout of ${sha256(source)}`;
    const task = { question: 'Who?' };
    const onEffect = (effect: Effect) =>
      effect.type === 'tool' ? ['found'] : { text: `re: ${effect.messages.at(-1)?.content}`, finish: 'stop' };
    const { effects, end } = await sandbox.run({ source, task, limits: ROLLOUT_LIMITS, onEffect });
    rollouts.set(rolloutId, { rolloutId, taskId: 'h1', effects, end } as unknown as RolloutCompleted['data']);
    archive.push({
      ...{ harnessId: sha256(source), source, weightsVersion: 'w1', cycle: 1, iteration: 0, index: 0, score: 0 },
      ...{ measured: 1, tasks: [{ taskId: 'h1', rolloutId, outcome: 'incorrect', diagnostics: {} }] },
    });
  }
  const recordings: BehaviourParts['recordings'] = {
    async *rollouts(wanted) {
      for (const [id, rollout] of rollouts) if (wanted.has(id)) yield rollout;
    },
  };
  return { archive, recordings };
}

async function bench(
  { archive, recordings }: Awaited<ReturnType<typeof measured>>,
  request: { proposer?: ProposerSpec; promptsOnly?: boolean } = {},
) {
  const view = viewOn(domain, archive);
  const asked = { ...view, request: { ...view.request, proposer: command, ...request } };
  return new Judge(asked, { checker, behaviour: new Behaviour(asked, { checker, sandbox, recordings }, signal) });
}

const draft = (source: string): Draft => ({ source, parent: sha256(h0), hypothesis: 'It helps.', changes: ['it'] });
const otherPrompt = h0.replace("'Answer.'", "'Answer now.'");
const renamed = h0.replaceAll('hits', 'found');
const rewritten = h0.replace('/* Asks once. */', '// Asks\n// once, again.').replace("'search'", '("search")');

describe('the prompt-only rule', () => {
  it('lets the strings of PROMPTS differ from the parent, and nothing else', async () => {
    const judge = await bench(await measured(h0), { promptsOnly: true });
    expect(await judge.judge(draft(otherPrompt))).toBeNull();
    const source = otherPrompt.replace('return question;', 'return question.trim();');
    expect(await judge.judge(draft(source))).toMatchObject({ stage: 'prompts', line: 6 });
  });

  it('is not asked for otherwise', async () => {
    const judge = await bench(await measured(h0));
    expect(await judge.judge(draft(h0.replace('return question;', 'return question.trim() + "?";')))).toBeNull();
  });
});

describe('a duplicate', () => {
  it('is the same program, differently written, of what has a score or is in the batch', async () => {
    const judge = await bench(await measured(h0));
    expect(await judge.judge(draft(rewritten))).toMatchObject({
      ...{ stage: 'duplicate', message: expect.stringMatching(/is the incumbent: this is the same program/u) },
    });
    await judge.take(draft(otherPrompt));
    expect(await judge.judge(draft(`// again\n${otherPrompt}`))).toMatchObject({
      ...{ stage: 'duplicate', message: expect.stringMatching(/is in this batch already/u) },
    });
  });

  it('is what does the same on the recorded rollouts of a scored harness', async () => {
    const judge = await bench(await measured(h0, otherPrompt));
    const rejection = await judge.judge(draft(renamed.replace('Answer.', 'Answer now.')));
    expect(rejection).toMatchObject({ stage: 'behaviour', line: null });
    expect(rejection?.message).toContain(`harness ${sha256(otherPrompt).slice(0, 12)} has a score already`);
  });

  it('is what does the same as a candidate of the batch on the incumbent’s recorded replies', async () => {
    const judge = await bench(await measured(h0));
    await judge.take(draft(otherPrompt));
    const rejection = await judge.judge(draft(renamed.replace('Answer.', 'Answer now.')));
    expect(rejection).toMatchObject({
      stage: 'behaviour',
      message: expect.stringContaining('is in this batch already'),
    });
  });

  it('is not what does something else, however little', async () => {
    const judge = await bench(await measured(h0, otherPrompt));
    expect(await judge.judge(draft(h0.replace('return said;', 'return said.trim() + ".";')))).toBeNull();
  });

  it('is nothing where no rollout is recorded', async () => {
    const { archive } = await measured(h0);
    const recordings = (await measured()).recordings;
    expect(await (await bench({ archive, recordings })).judge(draft(renamed))).toBeNull();
  });

  it('is known by its text alone where the proposer is a pure one', async () => {
    const judge = await bench(await measured(h0), { proposer: { kind: 'recombine' } });
    expect(await judge.judge(draft(rewritten))).toBeNull();
    expect(await judge.judge(draft(renamed))).toBeNull();
    expect(await judge.judge(draft(h0))).toMatchObject({ stage: 'duplicate' });
  });
});

it('a draft that is only checked is not in the batch', async () => {
  const judge = await bench(await measured(h0));
  expect(await judge.judge(draft(otherPrompt))).toBeNull();
  expect(await judge.judge(draft(otherPrompt))).toBeNull();
});

it('what leaks is refused before it is run', async () => {
  const judge = await bench(await measured(h0));
  const source = h0.replace('return question;', "throw new Error('nobody');");
  expect(await judge.judge(draft(source))).toMatchObject({ stage: 'leak', line: 6 });
});

it('rollouts of another split are no evidence', async () => {
  const { archive, recordings } = await measured(h0);
  const elsewhere: BehaviourParts['recordings'] = {
    async *rollouts(wanted) {
      for await (const rollout of recordings.rollouts(wanted)) yield { ...rollout, taskId: 'v1' };
    },
  };
  expect(await (await bench({ archive, recordings: elsewhere })).judge(draft(renamed))).toBeNull();
});

it('effects that are recorded are not asked for again', async () => {
  const asked: string[][] = [];
  const { archive, recordings } = await measured(h0, otherPrompt);
  const counted: BehaviourParts['recordings'] = {
    rollouts: (wanted, abort) => {
      asked.push([...wanted]);
      return recordings.rollouts(wanted, abort);
    },
  };
  const judge = await bench({ archive, recordings: counted });
  await judge.judge(draft(renamed));
  await judge.judge(draft(renamed));
  expect(asked.flat()).toHaveLength(new Set(asked.flat()).size);
});
