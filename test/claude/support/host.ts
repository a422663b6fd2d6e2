import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256, type JsonValue } from '@whale/kernel';
import type {
  Draft,
  JournalEntry,
  JudgedDraft,
  ProposalRequest,
  ProposalSession,
  Proposer,
  Rejection,
  SessionEnd,
  Trial,
} from '@whale/proposers';
import { afterAll } from 'vitest';
import { BROKEN_LINE } from './request.ts';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Thrown where a test kills the process. */
export class Killed extends Error {}

const FILES = { 'index.md': 'history.jsonl has all.\n', 'history.jsonl': '{"id":"h0"}\n{"id":"h1"}\n' };

/**
 * Keeps what a host keeps of a session, and dies at the given one of the points at which something becomes durable: an
 * entry of the journal or a verdict, just before or just after. From 0.
 */
export class Host {
  /** As JSON text, as in a store. */
  readonly journal: string[] = [];
  readonly judged: JudgedDraft[] = [];
  readonly stop = new AbortController();
  /** What was asked of the session, in order. */
  readonly asked: string[] = [];
  points = 0;
  dieAt = Infinity;
  trials = trialsOf;
  readonly #files: Record<string, string>;
  #workspace: string | undefined;

  constructor(files: Record<string, string> = {}) {
    this.#files = { ...FILES, ...files };
  }

  get entries(): JournalEntry[] {
    return this.journal.map((text) => JSON.parse(text) as JournalEntry);
  }

  /** One process: a session until it ends, the batch is full, or it is killed. */
  async run(proposer: Proposer, request: ProposalRequest): Promise<SessionEnd | null> {
    const generator = proposer.propose(request, this.#session());
    let next = await generator.next();
    while (next.done !== true) {
      const rejection = this.#verdict(next.value);
      if (this.judged.filter((one) => one.rejection === null).length === request.count) {
        await generator.return();
        return null;
      }
      next = await generator.next(rejection);
    }
    const end = next.value ?? null;
    return typeof end === 'string' ? { reason: 'finished', message: end } : end;
  }

  /** Dies instead of, or right after, what makes something durable. */
  #durable(write: () => void): void {
    if (this.points++ === this.dieAt) throw new Killed();
    write();
    if (this.points++ === this.dieAt) throw new Killed();
  }

  #verdict(draft: Draft): Rejection | null {
    const before = this.judged.find((one) => one.draft.source === draft.source);
    if (before !== undefined) return before.rejection;
    const rejection = judge(draft);
    this.#durable(() => this.judged.push({ draft, rejection }));
    return rejection;
  }

  #session(): ProposalSession {
    return {
      signal: this.stop.signal,
      journal: this.entries,
      judged: [...this.judged],
      workspace: async () => (this.#workspace ??= workspace(this.#files)),
      check: async (draft) => {
        this.asked.push(`check ${sha256(draft.source).slice(0, 8)}`);
        return judge(draft);
      },
      tryOut: async (source, taskIds) => {
        this.asked.push(`try ${sha256(source).slice(0, 8)} ${taskIds.join(' ')}`);
        return this.trials(taskIds);
      },
      record: async (entry) => this.#durable(() => this.journal.push(JSON.stringify(entry as unknown as JsonValue))),
    };
  }
}

export function judge({ source }: Draft): Rejection | null {
  const place = source.split('\n').indexOf(BROKEN_LINE);
  return place === -1 ? null : { stage: 'types', message: "Cannot find name 'broken'.", line: place + 1 };
}

function workspace(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'whale-claude-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function trialsOf(taskIds: readonly string[]): Trial[] {
  const said = [{ role: 'user', content: 'Who?' }];
  return taskIds.map((taskId): Trial => ({
    taskId,
    effects: [
      { effect: { type: 'tool', name: 'search', args: {} }, result: ['found'], from: 'tool' },
      { effect: { type: 'generate', messages: said }, result: null, from: 'nothing' },
    ],
    end: { kind: 'unrecorded' },
  }));
}
