import { describeError, isRetryable, type ErrorDescription } from '@whale/kernel';
import type {
  Draft,
  JudgedDraft,
  ProposalRequest,
  ProposalSession,
  Proposer,
  Rejection,
  SessionEnd,
} from '@whale/proposers';
import { StoreError } from '@whale/service-kit';
import { DRAFTS_A_CANDIDATE, type Batch } from '../batch.ts';
import type { Judge } from '../pipeline/judge.ts';
import type { SessionLog } from './session-log.ts';

export interface SessionParts {
  proposer: Proposer;
  request: ProposalRequest;
  session: ProposalSession;
  judge: Pick<Judge, 'judge' | 'take'>;
  /** Null for a pure proposer. */
  log: Pick<SessionLog, 'judged' | 'candidate'> | null;
  isLastAttempt: boolean;
}

/**
 * Runs one session to its end. Invariants, each named by a test:
 * H1 A draft is judged once and counted once, whatever kills there are: one that is yielded again has its verdict.
 * H2 It ends as soon as `count` drafts are valid or the most that are judged are written, else when the proposer does.
 * H3 A failure of the proposer ends it and keeps what was written; one that may pass is thrown, to be tried again, as
 *    long as there is an attempt left. What is the host's own failure (a lost lease, a stop) is always thrown, and so is
 *    that what the proposer needs is away: it is waited for.
 */
export class HeldSession {
  readonly #parts: SessionParts;
  readonly #judged: JudgedDraft[];
  /** Of earlier processes, not yielded again yet. */
  readonly #known: JudgedDraft[];

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#judged = [...(parts.log?.judged ?? [])];
    this.#known = [...this.#judged];
  }

  async hold(): Promise<Batch> {
    const { proposer, request, session, judge } = this.#parts;
    // Killed after its last draft and before its end.
    const over = this.#over;
    if (over !== null) return this.#batch(over);
    for (const { draft } of this.#judged.filter(isValid)) await judge.take(draft);
    const drafts = proposer.propose(request, session);
    try {
      const end = await this.#drive(drafts);
      session.signal.throwIfAborted();
      return this.#batch(end);
    } catch (error) {
      // The first failure is the one to tell; a proposer that has thrown has ended already.
      await drafts.return().catch(() => undefined);
      if (this.#mustThrow(error)) throw error;
      const { code, message } = describeError(error);
      return this.#batch({ reason: 'failed', message: `${code}: ${message}` }, describeError(error));
    }
  }

  async #drive(drafts: ReturnType<Proposer['propose']>): Promise<SessionEnd> {
    let next = await drafts.next();
    while (next.done !== true) {
      const rejection = await this.#verdict(next.value);
      const over = this.#over;
      if (over !== null) {
        await drafts.return();
        return over;
      }
      next = await drafts.next(rejection);
    }
    const end = next.value ?? null;
    return end !== null && typeof end === 'object' ? end : { reason: 'finished', message: end };
  }

  async #verdict(draft: Draft): Promise<Rejection | null> {
    const { judge, log, session } = this.#parts;
    const place = this.#known.findIndex((one) => isSame(one.draft, draft));
    const [known] = place < 0 ? [] : this.#known.splice(place, 1);
    if (known !== undefined) return known.rejection;
    const rejection = await judge.judge(draft);
    session.signal.throwIfAborted();
    await log?.candidate(draft, rejection);
    if (rejection === null) await judge.take(draft);
    this.#judged.push({ draft, rejection });
    return rejection;
  }

  /** Why nothing more is to be written, if so. */
  get #over(): SessionEnd | null {
    const { count } = this.#parts.request;
    if (this.#judged.filter(isValid).length >= count) return { reason: 'finished', message: null };
    const most = DRAFTS_A_CANDIDATE * count;
    if (this.#judged.length < most) return null;
    return {
      reason: 'finished',
      message: `${most} drafts are written, the most that are judged for ${count} candidates`,
    };
  }

  #mustThrow(error: unknown): boolean {
    if (this.#parts.session.signal.aborted) return true;
    if (error instanceof StoreError && error.code === 'STORE_STALE_CONSUMER') return true;
    return isAway(error) || (isRetryable(error) && !this.#parts.isLastAttempt);
  }

  #batch(end: SessionEnd, error: ErrorDescription | null = null): Batch {
    return { judged: this.#judged, end, error };
  }
}

/** What the proposer itself needs does not answer: nothing is wrong with the session, which waits. */
export function isAway(error: unknown): boolean {
  return describeError(error).code === 'PROPOSER_UNAVAILABLE';
}

const isValid = ({ rejection }: JudgedDraft): boolean => rejection === null;

function isSame(a: Draft, b: Draft): boolean {
  return a.source === b.source && a.parent === b.parent;
}
