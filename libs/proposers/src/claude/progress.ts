import { tokensUsed } from '@whale/contracts';
import { z } from 'zod';
import type { CallBegun, JournalEntry } from '../session.ts';
import { Blocks, isToolUse, type Block, type ToolUse } from './blocks.ts';

/** What a session has used up. Milliseconds count only while a process works on it. */
export interface Spent {
  /** Input, output and cache tokens, of lost calls too. */
  tokens: number;
  usd: number;
  milliseconds: number;
}

/** A tool's result as the model has read it. */
export interface ToolRecord {
  tool: string;
  text: string;
  error: string | null;
}

/** An answered call of the model, with what its tools gave so far. */
export interface Turn {
  turn: number;
  stopReason: string;
  blocks: Block[];
  /** Tokens of its prompt and reply: what the conversation held after it. */
  context: number;
  results: ToolRecord[];
  /** As of its last result, or of the reply where there is none. */
  spent: Spent;
}

/** What is kept of a tool's step besides the step itself. */
export const ToolContent = z.object({ id: z.string(), input: z.json(), text: z.string() });
export type ToolContent = z.infer<typeof ToolContent>;

/** The state of a session: a fold over its journal and nothing else. */
export class Progress {
  readonly turns: Turn[] = [];
  /** Asked, and not known yet what came of it. */
  open: CallBegun | null = null;
  spent: Spent = { tokens: 0, usd: 0, milliseconds: 0 };

  constructor(journal: readonly JournalEntry[]) {
    for (const entry of journal) this.add(entry);
  }

  add(entry: JournalEntry): void {
    if (entry.kind === 'call-begun') {
      this.open = entry;
      return;
    }
    const { step, content } = entry;
    const { tokens, usd, milliseconds } = this.spent;
    const worked = milliseconds + (step.milliseconds ?? 0);
    if (step.kind === 'tool') {
      this.spent = { tokens, usd, milliseconds: worked };
      const { text } = ToolContent.parse(content);
      this.#last.results.push({ tool: step.tool, text, error: step.error });
      this.#last.spent = this.spent;
      return;
    }
    this.open = null;
    const context = tokensUsed(step.usage);
    this.spent = { tokens: tokens + context, usd: usd + step.usd, milliseconds: worked };
    if (step.kind === 'call-lost') return;
    const { turn, stopReason } = step;
    this.turns.push({ turn, stopReason, blocks: Blocks.parse(content), context, results: [], spent: this.spent });
  }

  get #last(): Turn {
    const last = this.turns.at(-1);
    if (last === undefined) throw new Error('the journal has a tool before the first call');
    return last;
  }
}

export function toolUses(turn: Turn): ToolUse[] {
  return turn.blocks.filter(isToolUse);
}

/** Its input may lack an end, however complete it looks. */
export function isCut({ blocks, stopReason }: Turn, use: ToolUse): boolean {
  return isCutShort(stopReason) && blocks.at(-1) === use;
}

export function isCutShort(stopReason: string): boolean {
  return stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
}

/** Turns at the end in which no tool was called. */
export function idleTurns(turns: readonly Turn[]): number {
  const busy = turns.findLastIndex((turn) => toolUses(turn).length > 0 || turn.stopReason === 'pause_turn');
  return turns.length - 1 - busy;
}
