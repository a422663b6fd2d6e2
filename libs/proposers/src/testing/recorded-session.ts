import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Draft, JudgedDraft, Rejection } from '../proposer.ts';
import type { JournalEntry, ProposalSession, Trial } from '../session.ts';

export interface RecordedSessionOptions {
  /** What earlier processes have done in the session. */
  journal?: readonly JournalEntry[];
  judged?: readonly JudgedDraft[];
  signal?: AbortSignal;
  /** Path in the workspace → text; an empty folder `candidates/` is always there. */
  files?: Readonly<Record<string, string>>;
}

/** A session as a host offers it: a workspace of its own, and a journal that another session can go on from. */
export class RecordedSession implements ProposalSession {
  readonly signal: AbortSignal;
  readonly journal: readonly JournalEntry[];
  readonly judged: readonly JudgedDraft[];
  /** The journal with what this session has added. */
  readonly recorded: JournalEntry[];
  /** Absolute path of the workspace. */
  readonly folder = mkdtempSync(join(tmpdir(), 'whale-session-'));
  readonly #files: Readonly<Record<string, string>>;
  #opened: Promise<string> | null = null;

  constructor({ journal = [], judged = [], signal, files = {} }: RecordedSessionOptions = {}) {
    this.signal = signal ?? new AbortController().signal;
    this.journal = [...journal];
    this.judged = [...judged];
    this.recorded = [...journal];
    this.#files = files;
  }

  workspace(): Promise<string> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  check(_draft: Draft): Promise<Rejection | null> {
    return Promise.resolve(null);
  }

  tryOut(_source: string, _taskIds: readonly string[]): Promise<readonly Trial[]> {
    return Promise.resolve([]);
  }

  record(entry: JournalEntry): Promise<void> {
    // As after a store: nothing but JSON comes back.
    this.recorded.push(JSON.parse(JSON.stringify(entry)) as JournalEntry);
    return Promise.resolve();
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #open(): Promise<string> {
    await mkdir(join(this.folder, 'candidates'));
    for (const [path, text] of Object.entries(this.#files)) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true });
      await writeFile(join(this.folder, path), text);
    }
    return this.folder;
  }
}
