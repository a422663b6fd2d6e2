import { describe, expect, it } from 'vitest';
import { components, seedHarness } from '../atlas/components.ts';
import { AtlasOptions } from '../atlas/options.ts';
import { atlasTasks } from '../atlas/tasks.ts';
import { pretrainingCorpus, vocabularyText } from './corpus.ts';

const corpus = [...pretrainingCorpus({ seed: 'test', size: 1500 })];
const answersOf = (text: string) => /^answer: (\S.*)$/u.exec(text)?.[1];

describe('the pretraining corpus', () => {
  it('is deterministic, and a smaller one is the beginning of a larger one', () => {
    expect([...pretrainingCorpus({ seed: 'test', size: 100 })]).toEqual(corpus.slice(0, 100));
    expect([...pretrainingCorpus({ seed: 'else', size: 100 })]).not.toEqual(corpus.slice(0, 100));
  });

  it('names assistant messages as targets, the last one always', () => {
    for (const { messages, targets } of corpus) {
      expect(targets.map((i) => messages[i]?.role)).toEqual(targets.map(() => 'assistant'));
      const assistants = messages.flatMap(({ role }, i) => (role === 'assistant' ? [i] : []));
      expect(assistants).toEqual(expect.arrayContaining(targets));
      expect(targets.length).toBeGreaterThan(0);
    }
  });

  it('trains no query whose name stands nowhere before it', () => {
    for (const { messages, targets } of corpus) {
      for (const i of targets) {
        const before = messages
          .slice(0, i)
          .map((message) => message.content)
          .join(' ');
        const names = (messages[i]?.content.match(/[A-Z][a-z]{3,}/gu) ?? []).filter((word) => !/^Wh/u.test(word));
        expect(names.filter((name) => !before.includes(name))).toEqual([]);
      }
    }
  });

  it('is diverse: searches, second searches, answers, malformed turns and resignation all occur', () => {
    const turns = corpus.flatMap(({ messages, targets }) => targets.map((i) => messages[i]?.content ?? ''));
    const share = (pattern: RegExp) => turns.filter((turn) => pattern.test(turn)).length / turns.length;
    expect(share(/^search: \w+ \w+$/u)).toBeGreaterThan(0.2);
    expect(share(/^answer: (?:\w+ )?\w+$/u)).toBeGreaterThan(0.25);
    expect(share(/^the answer is|^\w+$|\n| or /u)).toBeGreaterThan(0.05);
    expect(share(/^unknown$/u)).toBeGreaterThan(0.02);
  });

  it('shares next to no question with the tasks, and the few by chance have other answers', async () => {
    const { byId, keys } = await atlasTasks(AtlasOptions.parse({}));
    const gold = new Map([...byId.values()].map((task) => [task.input['question'], keys.get(task.id)?.gold ?? []]));
    const shared = corpus.filter(({ messages }) => gold.has(messages[1]?.content ?? ''));
    expect(shared.length / corpus.length).toBeLessThan(0.08);
    const told = shared.filter(({ messages }) =>
      gold.get(messages[1]?.content ?? '')?.includes(answersOf(messages.at(-1)?.content ?? '') ?? ''),
    );
    expect(told.length).toBeLessThanOrEqual(shared.length * 0.1);
  });

  it('knows the prompts of h₀ and of the careful variant, and not those of rules', () => {
    const known = new Set(corpus.map(({ messages }) => messages[0]?.content));
    const prompts = (text: string) => [...text.matchAll(/(?:system|finish):\s+'(.+)'/gu)].map((match) => match[1]);
    expect(prompts(seedHarness).filter((prompt) => !known.has(prompt))).toEqual([]);
    const variant = (name: string) =>
      components.find((one) => one.slot === 'prompts' && one.name === name)?.source ?? '';
    expect(prompts(variant('careful')).map((prompt) => known.has(prompt))).toEqual([true, true]);
    expect(prompts(variant('rules')).map((prompt) => known.has(prompt))).toEqual([false, false]);
  });

  it('takes another temper of the teacher', () => {
    const strict = { malformed: 0, quits: 0, terse: 1, slips: 0 };
    const habits = { plain: strict, careful: strict, final: strict, wordy: strict };
    for (const { messages, targets } of pretrainingCorpus({ seed: 'test', size: 200, habits })) {
      for (const i of targets) expect(messages[i]?.content).toMatch(/^search: (?:\w+ )?\w+ \w+$|^answer: |^unknown$/u);
    }
  });

  it('gives the vocabulary names in syllables', () => {
    const text = [...vocabularyText({ seed: 'test', size: 50 })].join('\n');
    expect(text).not.toMatch(/[A-Z][a-z]{2}(?:vel|mond|stead|ilda)\b/u);
  });
});
