import { expect, test } from 'vitest';
import { TINY } from '../testing.ts';
import { Tokenizer } from '../tokenizer/tokenizer.ts';
import { conversationExample, pretrain } from './pretrain.ts';

const tokenizer = new Tokenizer({ format: 'whale-bpe-1', merges: [] });
const conversation = (letter: string) => ({
  messages: [
    { role: 'user' as const, content: letter },
    { role: 'assistant' as const, content: `${letter}!` },
  ],
  targets: [1],
});
const corpus = [...'abcdefgh'].map(conversation);
const options = { corpus, tokenizer, config: TINY, seed: 's', steps: 12, batch: 8, learningRate: 1e-2, threads: 1 };

test('loss on the text and the end of the target messages only', () => {
  const { tokens, lossAt } = conversationExample(tokenizer, conversation('a'));
  const [a, mark, end] = [tokenizer.encode('a')[0], tokenizer.encode('!')[0], tokenizer.control('<end>')];
  expect(lossAt.map((t) => tokens[t])).toEqual([a, mark, end]);
  expect(tokens.slice(0, 4)).toEqual([tokenizer.control('<user>'), a, end, tokenizer.control('<assistant>')]);
});

test('same options, same bytes, also on two threads; it learns', async () => {
  const losses: number[] = [];
  const first = await pretrain({ ...options, onProgress: ({ loss }) => losses.push(loss) });
  expect((await pretrain(options)).sha256).toBe(first.sha256);
  expect((await pretrain({ ...options, batch: 8, threads: 2 })).sha256).toBe(first.sha256);
  expect((await pretrain({ ...options, seed: 'other' })).sha256).not.toBe(first.sha256);
  expect(losses.at(-1)).toBeLessThan((losses[0] as number) - 0.5);
});

test('conversations longer than the context are counted and left out; none that fits is an error', async () => {
  const long = conversation('a'.repeat(30));
  expect((await pretrain({ ...options, corpus: [...corpus, long], steps: 2 })).tooLong).toBeGreaterThan(0);
  await expect(pretrain({ ...options, corpus: [long] })).rejects.toMatchObject({ code: 'INPUT' });
});
