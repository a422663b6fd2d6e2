import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry, JudgedDraft, ProposalSession } from '@whale/proposers';
import type { SessionLog } from './session-log.ts';

export interface Offer extends Pick<ProposalSession, 'signal' | 'check' | 'tryOut'> {
  /** Null for a pure proposer. */
  log: SessionLog | null;
  /** Makes the workspace in a folder that is not there yet. */
  fill(folder: string): Promise<void>;
}

/** What the host offers to a proposer. The workspace is a temporary folder of this process; `close` removes it. */
export class HostedSession implements ProposalSession {
  readonly signal: AbortSignal;
  readonly journal: readonly JournalEntry[];
  readonly judged: readonly JudgedDraft[];
  readonly check: ProposalSession['check'];
  readonly tryOut: ProposalSession['tryOut'];
  readonly #log: SessionLog | null;
  readonly #fill: Offer['fill'];
  #workspace: Promise<string> | null = null;
  #folder: string | null = null;

  constructor({ signal, log, check, tryOut, fill }: Offer) {
    this.signal = signal;
    this.journal = log?.journal ?? [];
    this.judged = log?.judged ?? [];
    this.check = check;
    this.tryOut = tryOut;
    this.#log = log;
    this.#fill = fill;
  }

  workspace(): Promise<string> {
    this.#workspace ??= this.#open();
    return this.#workspace;
  }

  async record(entry: JournalEntry): Promise<void> {
    if (this.#log === null) throw new Error('a pure proposer keeps no journal: what it does costs nothing');
    await this.#log.record(entry);
  }

  async close(): Promise<void> {
    await this.#workspace?.catch(() => undefined);
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  async #open(): Promise<string> {
    this.#folder = await mkdtemp(join(tmpdir(), 'whale-session-'));
    const workspace = join(this.#folder, 'workspace');
    await this.#fill(workspace);
    return workspace;
  }
}
