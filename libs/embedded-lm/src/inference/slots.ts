import type { InferenceEngine } from './engine.ts';

/** A sequence whose keys and values the engine holds. */
export interface Slot {
  readonly index: number;
  /** The bank its weights are in; −1 when it holds nothing. */
  bank: number;
  /** Tokens whose keys and values are computed. */
  tokens: number[];
  busy: boolean;
  lastUse: number;
}

/**
 * Slots with reuse of prefixes: a new sequence starts from the longest prefix that any slot of the same weights
 * already holds (the same system prompt, the same task, the conversation so far). It saves time and changes no bit.
 */
export class SlotPool {
  readonly #engine: InferenceEngine;
  readonly #slots: Slot[];
  #uses = 0;

  constructor(engine: InferenceEngine, size: number) {
    this.#engine = engine;
    this.#slots = Array.from({ length: size }, (_, index) => ({
      index,
      bank: -1,
      tokens: [],
      busy: false,
      lastUse: 0,
    }));
  }

  /** A slot that holds a prefix of `prompt` shorter than it, possibly empty; undefined when all are busy. */
  acquire(bank: number, prompt: readonly number[]): Slot | undefined {
    let target: Slot | undefined;
    let [source, shared]: [Slot | undefined, number] = [undefined, 0];
    for (const slot of this.#slots) {
      if (!slot.busy && (target === undefined || slot.lastUse < target.lastUse)) target = slot;
      if (slot.bank !== bank) continue;
      const common = commonPrefix(slot.tokens, prompt, prompt.length - 1);
      if (common > shared) [source, shared] = [slot, common];
    }
    if (target === undefined) return undefined;
    if (source !== undefined && source !== target) {
      // The whole of an idle slot is a prefix: go on in it, nothing to copy.
      if (!source.busy && shared === source.tokens.length) target = source;
      else this.#engine.copyPrefix(source.index, target.index, shared);
    }
    target.bank = bank;
    target.tokens = prompt.slice(0, shared);
    target.busy = true;
    target.lastUse = ++this.#uses;
    return target;
  }

  release(slot: Slot): void {
    slot.busy = false;
    slot.lastUse = ++this.#uses;
  }

  /** Forgets what was computed with the weights of a bank. */
  forget(bank: number): void {
    for (const slot of this.#slots) if (slot.bank === bank) Object.assign(slot, { bank: -1, tokens: [] });
  }
}

function commonPrefix(a: readonly number[], b: readonly number[], most: number): number {
  const end = Math.min(a.length, most);
  let i = 0;
  while (i < end && a[i] === b[i]) i++;
  return i;
}
