import type { Effect, EffectRecord, RolloutCompleted } from '@whale/contracts';
import { HarnessSandbox } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import type { ArchiveEntry } from '@whale/proposers';
import { afterAll, describe, expect, it } from 'vitest';
import { viewOn } from '../testing/requests.ts';
import { good, smallDomain } from '../testing/small-domain.ts';
import type { Recordings } from './recorded-replies.ts';
import { Trials } from './trials.ts';

const sandbox = new HarnessSandbox();
afterAll(() => sandbox.close());

const domain = smallDomain([good]);
const h0 = domain.seedHarness;
const signal = new AbortController().signal;

/** What h₀ did in a rollout where the model said `text`. */
async function recorded(text: string): Promise<EffectRecord[]> {
  const onEffect = (effect: Effect) => (effect.type === 'tool' ? ['found'] : { text, finish: 'stop' });
  return (await sandbox.run({ source: h0, task: { question: 'Who?' }, onEffect })).effects;
}

function entry(weightsVersion: string, rolloutId: string): ArchiveEntry {
  const place = { cycle: 1, iteration: 0, index: 0, score: 1, measured: 1 };
  const tasks: ArchiveEntry['tasks'] = [{ taskId: 'h1', rolloutId, outcome: 'correct', diagnostics: {} }];
  return { harnessId: sha256(h0), source: h0, weightsVersion, ...place, tasks };
}

function recordings(rollouts: Readonly<Record<string, readonly EffectRecord[]>>): Recordings & { read: string[] } {
  const read: string[] = [];
  return {
    read,
    async *rollouts(wanted) {
      for (const [rolloutId, effects] of Object.entries(rollouts)) {
        if (!wanted.has(rolloutId)) continue;
        read.push(rolloutId);
        yield { rolloutId, effects } as unknown as RolloutCompleted['data'];
      }
    },
  };
}

const trialsOn = (archive: readonly ArchiveEntry[], from: Recordings) =>
  new Trials(viewOn(domain, archive), { sandbox, recordings: from }, signal);

describe('a trial', () => {
  it('answers with what the model has said to the same messages, and with the tools', async () => {
    const from = recordings({ r1: await recorded('Nobody'), other: await recorded('wrong') });
    const [trial, again] = await trialsOn([entry('w1', 'r1')], from).tryOut(h0, ['h1', 'h1']);
    expect(trial?.end).toEqual({ kind: 'answered', answer: 'Nobody' });
    expect(trial?.effects.map(({ from: source }) => source)).toEqual(['tool', 'recorded']);
    expect(again).toEqual(trial);
    expect(from.read).toEqual(['r1']);
  });

  it('ends where nothing is recorded, and shows what was asked', async () => {
    const from = recordings({ r1: await recorded('Nobody') });
    const source = h0.replace('Answer.', 'Answer now.');
    const [trial] = await trialsOn([entry('w1', 'r1')], from).tryOut(source, ['h1']);
    expect(trial?.end).toMatchObject({ kind: 'unrecorded' });
    expect(trial?.effects.at(-1)).toMatchObject({ from: 'nothing', result: null, effect: { type: 'generate' } });
  });

  it('ends as a rollout does where the harness breaks', async () => {
    const [trial] = await trialsOn([], recordings({})).tryOut(h0.replace('return question;', "throw new Error('x');"), [
      'h1',
    ]);
    expect(trial?.end).toMatchObject({ kind: 'harness_error' });
  });

  it('takes the reply of the present θ, of the newest entry', async () => {
    const from = recordings({ a: await recorded('old'), b: await recorded('new'), c: await recorded('earlier θ') });
    const archive = [entry('w1', 'a'), entry('w1', 'b'), entry('w0', 'c')];
    const [trial] = await trialsOn(archive, from).tryOut(h0, ['h1']);
    expect(trial?.end).toEqual({ kind: 'answered', answer: 'new' });
    const [carried] = await trialsOn([entry('w0', 'c')], from).tryOut(h0, ['h1']);
    expect(carried?.end).toEqual({ kind: 'answered', answer: 'earlier θ' });
  });

  it.each([
    ['of another split', ['v1']],
    ['that is not there', ['nope']],
    ['too many', Array<string>(17).fill('h1')],
  ])('refuses tasks %s', async (_, taskIds) => {
    await expect(trialsOn([], recordings({})).tryOut(h0, taskIds)).rejects.toMatchObject({ code: 'INPUT' });
  });
});
