import type { BlobStore } from '@whale/blob-store';
import type { CandidatesRequested, DomainEvent, ProposalAudited, ProposalStep } from '@whale/contracts';
import type { ErrorDescription, JsonValue } from '@whale/kernel';
import type { Draft, JournalEntry, JudgedDraft, Rejection, SessionEnd } from '@whale/proposers';
import type { ServiceStore } from '@whale/service-kit';
import { harnessSource } from '../archive-view.ts';
import { audited, ending, type Counts } from './audit-events.ts';
import { attemptPrefix, entryKey, standingOf, type Stored } from './stored.ts';

export interface SessionLogParts {
  blobs: BlobStore;
  store: Pick<ServiceStore, 'documentsUnder'>;
  /** One transaction; throws where the lease was lost. */
  commit(effects: { events: readonly DomainEvent[]; documents: ReadonlyMap<string, unknown> }): Promise<void>;
}

/**
 * What was done in one session, durable step by step. Invariants, each named by a test:
 * S1 An entry and the audit event of its step are one transaction of the owner of the lease: after a kill anywhere the
 *    log of the session goes on where it was, and each step is told once, under the next number.
 * S2 What an event refers to is in the blob store before it.
 * S3 Totals are counted here, over the steps in their order, and not by who spends. A call that was begun is counted,
 *    whatever becomes of it.
 */
export class SessionLog {
  /** What earlier processes have recorded. */
  readonly journal: readonly JournalEntry[];
  readonly judged: readonly JudgedDraft[];
  readonly #request: CandidatesRequested['data'];
  readonly #parts: SessionLogParts;
  readonly #stored: Stored[];
  #tail: Promise<unknown> = Promise.resolve();

  /** Reads back what earlier processes have written. */
  static async open(request: CandidatesRequested['data'], parts: SessionLogParts): Promise<SessionLog> {
    const stored = await storedOf(request, parts.store);
    const journal: JournalEntry[] = [];
    const judged: JudgedDraft[] = [];
    for (const entry of stored) {
      if (entry.kind === 'begun') journal.push(entry.entry);
      else if (entry.kind === 'step') {
        journal.push({ kind: 'step', step: entry.step, content: await contentOf(parts.blobs, entry.content) });
      } else {
        const source = await harnessSource(parts.blobs, entry.harness);
        judged.push({ draft: { source, ...entry.draft }, rejection: entry.rejection });
      }
    }
    return new SessionLog(request, parts, stored, { journal, judged });
  }

  private constructor(
    request: CandidatesRequested['data'],
    parts: SessionLogParts,
    stored: Stored[],
    { journal, judged }: Pick<SessionLog, 'journal' | 'judged'>,
  ) {
    this.#request = request;
    this.#parts = parts;
    this.#stored = stored;
    this.journal = journal;
    this.judged = judged;
  }

  /** One entry of the proposer. */
  record(entry: JournalEntry): Promise<void> {
    return this.#next(async () => {
      if (entry.kind === 'call-begun') return this.#commit({ kind: 'begun', entry });
      const { step } = entry;
      const content = await this.#put(JSON.stringify(entry.content));
      return this.#commit({ kind: 'step', step, content }, step.kind === 'call-lost' ? step : { ...step, content });
    });
  }

  /** One draft and its verdict. */
  candidate({ source, ...draft }: Draft, rejection: Rejection | null): Promise<void> {
    return this.#next(async () => {
      const { uri, sha256: id, bytes } = await this.#put(source);
      const harness = { id, uri, bytes };
      const number = standingOf(this.#stored).written + 1;
      const told = { kind: 'candidate', number, harness, rejection } as const;
      await this.#commit({ kind: 'candidate', harness, draft, rejection }, told);
    });
  }

  /** The last steps, to be committed with the end of the work. */
  ended(end: SessionEnd, counts: Counts): ProposalAudited[] {
    return ending(this.#request, standingOf(this.#stored), end, counts);
  }

  #next<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#tail.then(write);
    this.#tail = written.catch(() => undefined);
    return written;
  }

  async #commit(entry: Stored, step?: ProposalStep): Promise<void> {
    const { sequence, totals } = standingOf([...this.#stored, entry]);
    await this.#parts.commit({
      events: step === undefined ? [] : [audited(this.#request, sequence, step, totals)],
      documents: new Map([[entryKey(this.#request, this.#stored.length + 1), entry]]),
    });
    this.#stored.push(entry);
  }

  #put(text: string): ReturnType<BlobStore['put']> {
    return this.#parts.blobs.put(new TextEncoder().encode(text));
  }
}

/** The end of a session that its process could not end; nothing for one without a journal. */
export async function endOfBroken(
  request: CandidatesRequested['data'],
  store: SessionLogParts['store'],
  { code, message }: ErrorDescription,
): Promise<ProposalAudited[]> {
  const stored = await storedOf(request, store);
  if (stored.length === 0) return [];
  const standing = standingOf(stored);
  const { written, valid } = standing;
  const end = { reason: 'failed', message: `${code}: ${message}` } as const;
  return ending(request, standing, end, { wanted: request.count, written, valid });
}

async function storedOf(request: CandidatesRequested['data'], store: SessionLogParts['store']): Promise<Stored[]> {
  return [...(await store.documentsUnder(attemptPrefix(request))).values()] as Stored[];
}

async function contentOf(blobs: BlobStore, ref: { uri: string; sha256: string }): Promise<JsonValue> {
  return JSON.parse(new TextDecoder().decode(await blobs.get(ref))) as JsonValue;
}
