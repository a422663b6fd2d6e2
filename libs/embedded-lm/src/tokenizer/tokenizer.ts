import { canonicalHash, WhaleError } from '@whale/kernel';
import { pretokens } from './pretokens.ts';

/** Control tokens, ids 0 to 4. They are never made from text: text that looks like one is encoded as characters. */
export const CONTROL_TOKENS = ['<system>', '<user>', '<assistant>', '<tool>', '<end>'] as const;
export type ControlToken = (typeof CONTROL_TOKENS)[number];

/** Ids: control tokens, then the 256 bytes, then one for each merge. */
export const FIRST_BYTE = CONTROL_TOKENS.length;
export const FIRST_MERGE = FIRST_BYTE + 256;

/** The asset: merges as pairs of ids, in the order they were learnt. */
export interface TokenizerFile {
  format: 'whale-bpe-1';
  merges: [number, number][];
}

/** Words kept with their ids. Names of invented worlds are many, so it is bounded. */
const CACHE_WORDS = 20_000;

/**
 * Byte-level BPE. Any text round-trips: what no merge covers falls back to its UTF-8 bytes. (A lone surrogate is not
 * text; it comes back as U+FFFD.)
 */
export class Tokenizer {
  /** Ids in use: 0 to `size` − 1. A model's vocabulary may be larger. */
  readonly size: number;
  /** Hash of the merges: a checkpoint names the tokenizer it was trained with. */
  readonly hash: string;
  readonly #rank = new Map<number, number>();
  readonly #bytes: Uint8Array[];
  readonly #cache = new Map<string, readonly number[]>();

  /** Throws WhaleError TOKENIZER_FILE when the file is not of the format or a merge names a later id. */
  constructor(file: TokenizerFile) {
    if (file.format !== 'whale-bpe-1' || !Array.isArray(file.merges)) {
      throw new WhaleError('TOKENIZER_FILE', 'not a tokenizer of format whale-bpe-1');
    }
    this.#bytes = CONTROL_TOKENS.map(() => new Uint8Array());
    for (let byte = 0; byte < 256; byte++) this.#bytes.push(Uint8Array.of(byte));
    for (const [left, right] of file.merges) {
      const [a, b] = [this.#bytes[left], this.#bytes[right]];
      if (a === undefined || b === undefined || left < FIRST_BYTE || right < FIRST_BYTE) {
        throw new WhaleError('TOKENIZER_FILE', `merge ${this.#bytes.length} joins ${left} and ${right}`);
      }
      this.#rank.set(pairKey(left, right), this.#bytes.length);
      this.#bytes.push(Uint8Array.of(...a, ...b));
    }
    this.size = this.#bytes.length;
    this.hash = canonicalHash({ format: file.format, merges: file.merges });
  }

  control(token: ControlToken): number {
    return CONTROL_TOKENS.indexOf(token);
  }

  isControl(id: number): boolean {
    return id < FIRST_BYTE;
  }

  /** Ids of plain text; never a control token. */
  encode(text: string): number[] {
    const ids: number[] = [];
    for (const piece of pretokens(text)) for (const id of this.#piece(piece)) ids.push(id);
    return ids;
  }

  /** Text of ids; control tokens and ids out of use give nothing, bytes that are not UTF-8 give U+FFFD. */
  decode(ids: readonly number[]): string {
    const parts = ids.map((id) => this.#bytes[id] ?? new Uint8Array());
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  #piece(piece: string): readonly number[] {
    const known = this.#cache.get(piece);
    if (known !== undefined) return known;
    const ids = [...new TextEncoder().encode(piece)].map((byte) => FIRST_BYTE + byte);
    for (;;) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < ids.length; i++) {
        const rank = this.#rank.get(pairKey(ids[i] as number, ids[i + 1] as number));
        if (rank !== undefined && rank < best) [best, at] = [rank, i];
      }
      if (at < 0) break;
      ids.splice(at, 2, best);
    }
    if (this.#cache.size >= CACHE_WORDS) this.#cache.clear();
    this.#cache.set(piece, ids);
    return ids;
  }
}

export function pairKey(left: number, right: number): number {
  return left * 65536 + right;
}
