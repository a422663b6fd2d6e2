import type { BlobStore } from '@whale/blob-store';
import type { CandidatesRequested, DomainEvent, HarnessRef, ProposalAudited, ProposalStep } from '@whale/contracts';
import type { JsonValue } from '@whale/kernel';
import type { Draft, JournalEntry, JudgedDraft, OwnStep, Rejection, SessionEnd } from '@whale/proposers';
import { harnessSource } from '../archive-view.ts';
import { NOTHING_YET, spentWith, type Totals } from './totals.ts';

export interface SessionLogParts {
  blobs: BlobStore;
  documentsUnder(prefix: string): Promise<ReadonlyMap<string, unknown>>;
  /** One transaction; throws where the lease was lost. */
  commit(effects: { events: readonly DomainEvent[]; documents: ReadonlyMap<string, unknown> }): Promise<void>;
}

type Counts = Pick<Extract<ProposalStep, { kind: 'ended' }>, 'wanted' | 'written' | 'valid'>;

/** An entry as the store keeps it: what is large lies in the blob store. */
type Stored =
  | { kind: 'begun'; entry: Extract<JournalEntry, { kind: 'call-begun' }> }
  | { kind: 'step'; step: OwnStep; content: Awaited<ReturnType<BlobStore['put']>> }
  | { kind: 'candidate'; harness: HarnessRef; draft: Omit<Draft, 'source'>; rejection: Rejection | null };

/**
 * What was done in one session, durable step by step. Invariants, each named by a test:
 * S1 An entry and the audit event of its step are one transaction of the owner of the lease: after a kill anywhere the
 *    log of the session goes on where it was, and each step is told once, under the next number.
 * S2 What an event refers to is in the blob store before it.
 * S3 Totals are counted here, over the steps in their order, and not by who spends.
 */
export class SessionLog {
  /** What earlier processes have recorded. */
  readonly journal: readonly JournalEntry[];
  readonly judged: readonly JudgedDraft[];
  readonly #request: CandidatesRequested['data'];
  readonly #parts: SessionLogParts;
  #entries: number;
  #sequence = 0;
  #candidates: number;
  #totals: Totals = NOTHING_YET;
  #tail: Promise<unknown> = Promise.resolve();

  /** Reads back what earlier processes have written. */
  static async open(request: CandidatesRequested['data'], parts: SessionLogParts): Promise<SessionLog> {
    const stored = [...(await parts.documentsUnder(attemptPrefix(request))).values()] as Stored[];
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
    stored: readonly Stored[],
    { journal, judged }: Pick<SessionLog, 'journal' | 'judged'>,
  ) {
    this.#request = request;
    this.#parts = parts;
    this.journal = journal;
    this.judged = judged;
    this.#entries = stored.length;
    this.#candidates = judged.length;
    for (const entry of stored) {
      if (entry.kind === 'begun') continue;
      this.#sequence++;
      if (entry.kind === 'step') this.#totals = spentWith(this.#totals, entry.step);
    }
  }

  /** One entry of the proposer. */
  record(entry: JournalEntry): Promise<void> {
    return this.#next(async () => {
      if (entry.kind === 'call-begun') return this.#commit({ kind: 'begun', entry });
      const { step } = entry;
      const content = await this.#put(JSON.stringify(entry.content));
      const told = step.kind === 'call-lost' ? step : ({ ...step, content } satisfies ProposalStep);
      return this.#commit({ kind: 'step', step, content }, told, spentWith(this.#totals, step));
    });
  }

  /** One draft and its verdict. */
  candidate({ source, ...draft }: Draft, rejection: Rejection | null): Promise<void> {
    return this.#next(async () => {
      const { uri, sha256: id, bytes } = await this.#put(source);
      const harness = { id, uri, bytes };
      const number = this.#candidates + 1;
      await this.#commit(
        { kind: 'candidate', harness, draft, rejection },
        { kind: 'candidate', number, harness, rejection },
      );
      this.#candidates = number;
    });
  }

  /** The last step, to be committed with the end of the work. */
  ended(end: SessionEnd, counts: Counts): ProposalAudited {
    return this.#audited(this.#sequence + 1, { kind: 'ended', ...end, ...counts }, this.#totals);
  }

  #next<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#tail.then(write);
    this.#tail = written.catch(() => undefined);
    return written;
  }

  async #commit(entry: Stored, step?: ProposalStep, totals: Totals = this.#totals): Promise<void> {
    const key = entryKey(this.#request, this.#entries + 1);
    const events = step === undefined ? [] : [this.#audited(this.#sequence + 1, step, totals)];
    await this.#parts.commit({ events, documents: new Map([[key, entry]]) });
    this.#entries++;
    this.#sequence += events.length;
    this.#totals = totals;
  }

  #audited(sequence: number, step: ProposalStep, totals: Totals): ProposalAudited {
    return audited(this.#request, sequence, step, totals);
  }

  #put(text: string): ReturnType<BlobStore['put']> {
    return this.#parts.blobs.put(new TextEncoder().encode(text));
  }
}

/** The only step of a session without a log. */
export function endedAtOnce(request: CandidatesRequested['data'], end: SessionEnd, counts: Counts): ProposalAudited {
  return audited(request, 1, { kind: 'ended', ...end, ...counts }, NOTHING_YET);
}

function audited(
  { experimentId, iterationId, attempt, proposer }: CandidatesRequested['data'],
  sequence: number,
  step: ProposalStep,
  totals: Totals,
): ProposalAudited {
  return {
    type: 'whale.proposal.audited.v1',
    data: { experimentId, iterationId, attempt, sequence, proposer: proposer.kind, step, totals },
  };
}

type Named = Pick<CandidatesRequested['data'], 'experimentId' | 'iterationId' | 'attempt'>;

/** Of all attempts of an iteration. */
export function sessionPrefix({ experimentId, iterationId }: Omit<Named, 'attempt'>): string {
  return `session/${experimentId}/${iterationId}/`;
}

function attemptPrefix(named: Named): string {
  return `${sessionPrefix(named)}${named.attempt}/`;
}

/** Sorts as it counts. */
function entryKey(named: Named, entry: number): string {
  return `${attemptPrefix(named)}${String(entry).padStart(8, '0')}`;
}

async function contentOf(blobs: BlobStore, ref: { uri: string; sha256: string }): Promise<JsonValue> {
  return JSON.parse(new TextDecoder().decode(await blobs.get(ref))) as JsonValue;
}
