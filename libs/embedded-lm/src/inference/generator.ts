import type { Message } from '@whale/contracts';
import { rng, WhaleError, type Rng } from '@whale/kernel';
import { encodePrompt } from '../chat-template.ts';
import type { LmConfig } from '../config.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { Weights } from '../weights.ts';
import { InferenceEngine, type Row } from './engine.ts';
import { sampleToken } from './sample.ts';
import { SlotPool, type Slot } from './slots.ts';

export interface SampleRequest {
  messages: readonly Message[];
  /** Texts that end the turn; the text returned stops before the first of them. */
  stop: readonly string[];
  maxTokens: number;
  /** Over the full softmax; 0 is greedy. */
  temperature: number;
  /** Names the random stream: one number of it for each token sampled. */
  seed: string;
}

export interface SampleResult {
  text: string;
  finish: 'stop' | 'length' | 'context';
  promptTokens: number[];
  /** As sampled, the token that ended the turn included. */
  tokens: number[];
}

export interface GeneratorOptions {
  /** Sequences that are sampled together. */
  maxBatch: number;
  /** Further sequences kept for the reuse of prefixes. */
  keptPrefixes: number;
  /** Weight versions held at the same time. */
  banks: number;
}

interface Running {
  request: SampleRequest;
  promptTokens: number[];
  tokens: number[];
  slot: Slot;
  random: Rng;
  done: (result: SampleResult) => void;
}

interface Waiting {
  bank: number;
  request: SampleRequest;
  promptTokens: number[];
  done: (result: SampleResult) => void;
}

/**
 * Sampling with continuous batching: sequences join and leave between two tokens.
 *
 * 1. A result depends on weights, messages and parameters, seed included, and on nothing that runs beside it (engine
 *    invariant 1; one random stream a request).
 * 2. A prompt that leaves no room for one token is answered at once: finish `context`, no text, no tokens.
 */
export class Generator {
  readonly #engine: InferenceEngine;
  readonly #tokenizer: Tokenizer;
  readonly #pool: SlotPool;
  readonly #maxBatch: number;
  readonly #bankUse: number[];
  readonly #bankOf = new Map<string, number>();
  #waiting: Waiting[] = [];
  #running: Running[] = [];
  #uses = 0;

  constructor(config: LmConfig, tokenizer: Tokenizer, options: GeneratorOptions) {
    const slots = options.maxBatch + options.keptPrefixes;
    this.#engine = new InferenceEngine(config, {
      slots,
      maxRows: Math.max(options.maxBatch, config.context),
      banks: options.banks,
    });
    this.#tokenizer = tokenizer;
    this.#pool = new SlotPool(this.#engine, slots);
    this.#maxBatch = options.maxBatch;
    this.#bankUse = Array.from({ length: options.banks }, () => 0);
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#running.length === 0;
  }

  has(key: string): boolean {
    return this.#bankOf.has(key);
  }

  /** Holds weights under a key, in the place of the least recently used ones that nobody samples from. */
  load(key: string, weights: Weights): void {
    if (this.#bankOf.has(key)) return;
    const busy = new Set([...this.#running.map((r) => r.slot.bank), ...this.#waiting.map((w) => w.bank)]);
    let bank = -1;
    for (const [candidate, use] of this.#bankUse.entries()) {
      if (busy.has(candidate)) continue;
      if (bank < 0 || use < (this.#bankUse[bank] as number)) bank = candidate;
    }
    if (bank < 0) {
      throw new WhaleError('LM_BANKS', `all ${this.#bankUse.length} weight versions are in use`, { retryable: true });
    }
    for (const [other, at] of this.#bankOf) if (at === bank) this.#bankOf.delete(other);
    this.#pool.forget(bank);
    this.#engine.load(bank, weights);
    this.#bankOf.set(key, bank);
    this.#bankUse[bank] = ++this.#uses;
  }

  /** Queues a request for weights that are loaded; `done` is called from a later `step`, or at once (invariant 2). */
  submit(key: string, request: SampleRequest, done: (result: SampleResult) => void): void {
    const bank = this.#bankOf.get(key);
    if (bank === undefined) throw new WhaleError('LM_WEIGHTS', `weights ${key} are not loaded`);
    this.#bankUse[bank] = ++this.#uses;
    const promptTokens = encodePrompt(this.#tokenizer, request.messages);
    if (promptTokens.length >= this.#engine.config.context) {
      done({ text: '', finish: 'context', promptTokens, tokens: [] });
      return;
    }
    this.#waiting.push({ bank, request, promptTokens, done });
  }

  /** Drops a request; its `done` is not called any more. */
  cancel(done: (result: SampleResult) => void): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.done !== done);
    for (const running of this.#running) if (running.done === done) this.#pool.release(running.slot);
    this.#running = this.#running.filter((running) => running.done !== done);
  }

  /** Admits what fits and samples one token for every running sequence of one version. */
  step(): void {
    this.#admit();
    const bank = this.#running[0]?.slot.bank;
    if (bank === undefined) return;
    const batch = this.#running.filter((running) => running.slot.bank === bank);
    const next = batch.map(({ promptTokens, tokens }) => tokens.at(-1) ?? (promptTokens.at(-1) as number));
    const logits = this.#run(
      bank,
      batch.map((running) => running.slot),
      next,
      true,
    );
    const { vocab } = this.#engine.config;
    const ended = new Set<Running>();
    for (const [i, running] of batch.entries()) {
      const { temperature } = running.request;
      const row = logits.subarray(i * vocab, (i + 1) * vocab);
      running.tokens.push(sampleToken(row, temperature, running.random.float()));
      const result = this.#result(running);
      if (result === undefined) continue;
      ended.add(running);
      this.#pool.release(running.slot);
      running.done(result);
    }
    // The batch goes to the end of the line, so that other versions have their turn.
    const others = this.#running.filter((running) => running.slot.bank !== bank);
    this.#running = [...others, ...batch.filter((running) => !ended.has(running))];
  }

  #admit(): void {
    let admitted = 0;
    for (const { bank, request, promptTokens, done } of this.#waiting) {
      if (this.#running.length >= this.#maxBatch) break;
      const slot = this.#pool.acquire(bank, promptTokens);
      if (slot === undefined) break;
      // All but the last token of the prompt; that one is the first to be run with the batch.
      const rest = promptTokens.slice(slot.tokens.length, -1);
      if (rest.length > 0)
        this.#run(
          bank,
          rest.map(() => slot),
          rest,
          false,
        );
      this.#running.push({ request, promptTokens, tokens: [], slot, random: rng(request.seed), done });
      admitted += 1;
    }
    this.#waiting.splice(0, admitted);
  }

  /** Runs one further token in each slot named (a slot may be named again). */
  #run(bank: number, slots: readonly Slot[], tokens: readonly number[], wantLogits: boolean): Float32Array {
    const { taps } = this.#engine.config;
    const rows = slots.map((slot, i): Row => {
      const token = tokens[i] as number;
      const before = slot.tokens.slice(-taps).reverse();
      slot.tokens.push(token);
      return { slot: slot.index, position: slot.tokens.length - 1, token, before };
    });
    return this.#engine.forward(bank, rows, wantLogits);
  }

  #result({ request, promptTokens, tokens }: Running): SampleResult | undefined {
    const ended = this.#tokenizer.isControl(tokens.at(-1) as number);
    const text = this.#tokenizer.decode(tokens);
    const stops = request.stop.map((stop) => (stop === '' ? -1 : text.indexOf(stop))).filter((at) => at >= 0);
    const end = (finish: SampleResult['finish'], upTo = text.length): SampleResult => ({
      text: text.slice(0, upTo),
      finish,
      promptTokens,
      tokens,
    });
    if (stops.length > 0) return end('stop', Math.min(...stops));
    if (ended) return end('stop');
    if (tokens.length >= request.maxTokens) return end('length');
    if (promptTokens.length + tokens.length >= this.#engine.config.context) return end('context');
    return undefined;
  }
}
