import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../config.ts';
import { loadTheta0, loadTokenizer } from '../shipped.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { decodeWeights, initialWeights, type Weights } from '../weights.ts';
import { Generator, type SampleRequest, type SampleResult } from './generator.ts';

let tokenizer: Tokenizer;
let weights: Weights;
beforeAll(async () => {
  tokenizer = await loadTokenizer();
  weights = decodeWeights(await loadTheta0(), tokenizer.hash);
});

function generatorWith(options: Partial<ConstructorParameters<typeof Generator>[2]> = {}): Generator {
  const generator = new Generator(weights.config, tokenizer, { maxBatch: 64, keptPrefixes: 32, banks: 2, ...options });
  generator.load('w0', weights);
  return generator;
}

function runAll(generator: Generator, requests: readonly SampleRequest[], key = 'w0'): SampleResult[] {
  const results: SampleResult[] = [];
  requests.forEach((request, i) => generator.submit(key, request, (result) => (results[i] = result)));
  while (!generator.idle) generator.step();
  return results;
}

const ask = (question: string, seed: string, more: Partial<SampleRequest> = {}): SampleRequest => ({
  messages: [
    { role: 'system', content: 'Search, then answer.' },
    { role: 'user', content: question },
  ],
  stop: [],
  maxTokens: 12,
  temperature: 1,
  seed,
  ...more,
});

const requests = Array.from({ length: 40 }, (_, i) =>
  ask(`Who is the mayor of ${['Tarvel', 'Dasness', 'Oskwick'][i % 3]}?`, `seed ${i}`, { maxTokens: 3 + (i % 15) }),
);

describe('invariant 1: a result depends on nothing that runs beside it', () => {
  let alone: SampleResult[];
  beforeAll(() => {
    alone = requests.flatMap((request) => runAll(generatorWith({ maxBatch: 1, keptPrefixes: 0 }), [request]));
  });

  test('the same alone and in a full batch', () => expect(runAll(generatorWith(), requests)).toEqual(alone));
  test('the same in another order', () =>
    expect(runAll(generatorWith(), [...requests].reverse()).reverse()).toEqual(alone));
  test('the same in a batch of three, with many waiting', () =>
    expect(runAll(generatorWith({ maxBatch: 3, keptPrefixes: 1 }), requests)).toEqual(alone));
  test('the same when every prefix is in the cache', () => {
    const generator = generatorWith();
    runAll(generator, requests);
    expect(runAll(generator, requests)).toEqual(alone);
  });
  test('the same beside requests for other weights', () => {
    const generator = generatorWith();
    generator.load('w1', initialWeights(DEFAULT_CONFIG, 'w1'));
    requests.forEach((request) => generator.submit('w1', request, () => undefined));
    expect(runAll(generator, requests)).toEqual(alone);
  });
  test('another seed gives other tokens', () => {
    const others = runAll(
      generatorWith(),
      requests.map((request) => ({ ...request, seed: `${request.seed}'` })),
    );
    expect(others.map((other) => other.tokens)).not.toEqual(alone.map(({ tokens }) => tokens));
  });
});

describe('how a turn ends', () => {
  const one = (request: SampleRequest) => runAll(generatorWith(), [request])[0] as SampleResult;

  test('length: as many tokens as asked', () => {
    const results = runAll(
      generatorWith(),
      Array.from({ length: 20 }, (_, i) => ask('Where does Dask live?', `${i}`, { maxTokens: 2 })),
    );
    expect(results.every(({ tokens }) => tokens.length <= 2)).toBe(true);
    expect(results.some(({ finish, tokens }) => finish === 'length' && tokens.length === 2)).toBe(true);
  });

  test('stop: the end-of-turn token is among the tokens and not in the text', () => {
    const results = runAll(
      generatorWith(),
      Array.from({ length: 20 }, (_, i) => ask('Where does Dask live?', `${i}`, { maxTokens: 60 })),
    );
    const ended = results.filter(({ tokens }) => tokens.at(-1) === tokenizer.control('<end>'));
    expect(ended.length).toBeGreaterThan(0);
    for (const { finish, text, tokens } of ended) {
      expect(finish).toBe('stop');
      expect(text).toBe(tokenizer.decode(tokens.slice(0, -1)));
    }
  });

  test('stop: a stop text ends the turn and is not part of the text', () => {
    const free = one(ask('Where does Dask live?', 'stop', { maxTokens: 60 }));
    const stop = free.text.slice(3, 5);
    const { text, finish, tokens } = one(ask('Where does Dask live?', 'stop', { maxTokens: 60, stop: ['', stop] }));
    expect(finish).toBe('stop');
    expect(text).toBe(free.text.slice(0, free.text.indexOf(stop)));
    expect(tokens).toEqual(free.tokens.slice(0, tokens.length));
  });

  test('context: the window is full in the middle of a turn', () => {
    const prompt = one(ask('', 'x')).promptTokens.length;
    const filler = '?!'.repeat(200);
    let question = '';
    while (tokenizer.encode(question).length < DEFAULT_CONFIG.context - prompt - 2)
      question = filler.slice(0, question.length + 1);
    const results = runAll(
      generatorWith(),
      Array.from({ length: 10 }, (_, i) => ask(question, `${i}`)),
    );
    const full = results.filter(({ finish }) => finish === 'context');
    expect(full.length).toBeGreaterThan(0);
    for (const { promptTokens, tokens } of full)
      expect(promptTokens.length + tokens.length).toBe(DEFAULT_CONFIG.context);
  });

  test('invariant 2: a prompt longer than the context is answered with nothing', () => {
    const { text, finish, tokens, promptTokens } = one(ask('Who is it? '.repeat(100), 'x'));
    expect({ text, finish, tokens }).toEqual({ text: '', finish: 'context', tokens: [] });
    expect(promptTokens.length).toBeGreaterThan(DEFAULT_CONFIG.context);
  });

  test('temperature 0 does not look at the seed', () => {
    const greedy = (seed: string) => one(ask('Where does Dask live?', seed, { temperature: 0 })).tokens;
    expect(greedy('a')).toEqual(greedy('b'));
  });
});

describe('weights and cancelling', () => {
  test('the least recently used version gives way, one in use does not', () => {
    const generator = generatorWith({ banks: 1 });
    generator.submit('w0', requests[0] as SampleRequest, () => undefined);
    expect(() => generator.load('w1', weights)).toThrow(expect.objectContaining({ code: 'LM_BANKS', retryable: true }));
    while (!generator.idle) generator.step();
    generator.load('w1', weights);
    expect([generator.has('w0'), generator.has('w1')]).toEqual([false, true]);
    expect(() => generator.submit('w0', requests[0] as SampleRequest, () => undefined)).toThrow(
      expect.objectContaining({ code: 'LM_WEIGHTS' }),
    );
  });

  test('a cancelled request is never answered, and its place is free again', () => {
    const generator = generatorWith({ maxBatch: 1, keptPrefixes: 0 });
    const dropped = () => expect.unreachable();
    generator.submit('w0', requests[14] as SampleRequest, dropped);
    generator.step();
    generator.cancel(dropped);
    expect(generator.idle).toBe(true);
    expect(runAll(generator, requests.slice(0, 2))).toHaveLength(2);
  });
});
