import type { ProposerUsage } from '@whale/contracts';
import type { Clock } from '@whale/kernel';
import type { JournalEntry, OwnStep, ProposalSession } from '../session.ts';
import type { ToolResult } from '../tools/tool.ts';
import type { Reply } from './api.ts';
import type { ToolUse } from './blocks.ts';
import { Laps } from './laps.ts';
import { priceOf, type Allowance, type ClaudeSpec } from './limits.ts';
import { Progress, type ToolContent } from './progress.ts';
import { summaryOf } from './summary.ts';

/** What a session does, put on record before anything follows from it. */
export class SessionJournal {
  readonly progress: Progress;
  readonly #session: ProposalSession;
  readonly #spec: ClaudeSpec;
  readonly #laps: Laps;

  constructor(session: ProposalSession, spec: ClaudeSpec, clock: Clock) {
    this.#session = session;
    this.#spec = spec;
    this.#laps = new Laps(clock);
    this.progress = new Progress(session.journal);
  }

  /** Ms of work since the last entry. */
  get running(): number {
    return this.#laps.running;
  }

  get turn(): number {
    return this.progress.turns.length + 1;
  }

  /** Counts a call of an earlier process whose end nobody saw. */
  async settle(): Promise<void> {
    const { open } = this.progress;
    if (open !== null) await this.lost('the process ended before the reply was on record', open.usage);
  }

  async begin({ usage, usd }: Allowance): Promise<void> {
    await this.#record({ kind: 'call-begun', turn: this.turn, model: this.#spec.model, usage, usd });
  }

  async answered({ model, stopReason, usage, blocks }: Reply): Promise<void> {
    const usd = priceOf(usage, this.#spec.prices);
    const milliseconds = this.#laps.end();
    const step: OwnStep = { kind: 'call', turn: this.turn, model, stopReason, usage, usd, milliseconds };
    await this.#record({ kind: 'step', step, content: blocks });
  }

  async lost(reason: string, usage: ProposerUsage): Promise<void> {
    const { model, prices } = this.#spec;
    const usd = priceOf(usage, prices);
    const milliseconds = this.#laps.end();
    const step: OwnStep = { kind: 'call-lost', turn: this.turn, model, reason, usage, usd, milliseconds };
    await this.#record({ kind: 'step', step, content: null });
  }

  async ran(use: ToolUse, { text, paths, bytes, error }: ToolResult): Promise<void> {
    const turn = this.progress.turns.length;
    const input = summaryOf(use.input);
    const milliseconds = this.#laps.end();
    const step: OwnStep = { kind: 'tool', turn, tool: use.name, input, paths: [...paths], bytes, error, milliseconds };
    const content = { id: use.id, input: use.input, text } satisfies ToolContent;
    await this.#record({ kind: 'step', step, content });
  }

  async #record(entry: JournalEntry): Promise<void> {
    await this.#session.record(entry);
    this.progress.add(entry);
  }
}
