import { setTimeout as sleep } from 'node:timers/promises';
import { formatIssues } from '@whale/contracts';
import { WhaleError } from '@whale/kernel';
import { z } from 'zod';
import { ForeignDraft } from '../draft-schema.ts';
import type { Draft, ProposalRequest, Proposer, Rejection, SessionEnd } from '../proposer.ts';
import type { ProposalSession } from '../session.ts';
import { timeLimit } from '../time-limit.ts';
import { loadProposer } from './load-proposer.ts';
import { sealedDomain } from './sealed-domain.ts';
import { underSignal } from './under-signal.ts';

/** For what a user's generator still does when it is ended. */
const GRACE_MS = 1_000;

const ForeignEnd = z
  .union([z.string(), z.object({ reason: z.enum(['finished', 'failed']), message: z.string().nullable() })])
  .nullish();

/**
 * Lets a user's module be the proposer. It runs in this process, so it is trusted like the rest of the program; what it
 * yields is not:
 * U1 What it yields and returns has the port's shape, or the session ends with an error that says which part has not.
 * U2 It is not given the answers: nothing of the domain but D_harness.
 * U3 A session ends with its time or its signal, although the module waits for something that never comes. Code that
 *    does not even wait holds the whole process; nothing here can end it.
 */
export class Module implements Proposer {
  async *propose(request: ProposalRequest, session: ProposalSession): ReturnType<Proposer['propose']> {
    const { proposer: spec } = request;
    if (spec.kind !== 'module') throw new TypeError(`the proposer of the request is ${spec.kind}, not a module`);
    const time = timeLimit(spec.seconds * 1000);
    const signal = AbortSignal.any([session.signal, time]);
    let drafts: ForeignGenerator | undefined;
    let judged: Rejection | null | undefined;
    try {
      const own = await unlessAborted(() => loadProposer(spec), signal);
      const begun = begin(
        own,
        { ...request, domain: sealedDomain(request.domain) },
        underSignal(session, signal),
        spec.path,
      );
      drafts = begun;
      for (let number = 1; ; number++) {
        const next = await unlessAborted(() => begun.next(judged), signal);
        if (next.done === true) return endOf(next.value, spec.path);
        judged = yield draftOf(next.value, number, spec.path);
      }
    } catch (cause) {
      session.signal.throwIfAborted();
      if (time.aborted) return { reason: 'seconds', message: `the ${spec.seconds} s of the session are over` };
      throw asFault(cause, spec.path);
    } finally {
      if (drafts) await Promise.race([ended(drafts), sleep(GRACE_MS, undefined, { ref: false })]);
    }
  }
}

type ForeignGenerator = AsyncGenerator<unknown, unknown, Rejection | null | undefined>;

function begin(own: Proposer, request: ProposalRequest, session: ProposalSession, path: string): ForeignGenerator {
  let drafts: unknown;
  try {
    drafts = own.propose(request, session);
  } catch (cause) {
    throw asFault(cause, path);
  }
  if (typeof (drafts as ForeignGenerator | undefined)?.next === 'function') return drafts as ForeignGenerator;
  throw fault(path, 'propose gives no generator: write it as `async *propose(request, session)` and yield the drafts');
}

async function ended(drafts: ForeignGenerator): Promise<void> {
  // What it throws now is of no use to anybody any more.
  await Promise.resolve(drafts.return?.(undefined)).catch(() => undefined);
}

/** Rejects with the signal's reason as soon as it aborts, whatever the work still waits for. */
async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function draftOf(value: unknown, number: number, path: string): Draft {
  const parsed = ForeignDraft.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = formatIssues(parsed.error, value);
  throw fault(path, `draft ${number} is malformed; yield { source, parent, hypothesis, changes }:\n${issues}`);
}

function endOf(value: unknown, path: string): SessionEnd | string | undefined {
  const parsed = ForeignEnd.safeParse(value);
  if (parsed.success) return parsed.data ?? undefined;
  throw fault(path, 'propose returned neither nothing, nor a sentence, nor { reason, message }');
}

function fault(path: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}): WhaleError {
  return new WhaleError('PROPOSER_MODULE', `the proposer ${path}: ${message}`, options);
}

function asFault(cause: unknown, path: string): WhaleError {
  if (cause instanceof WhaleError) return cause;
  // The module may have its own copy of WhaleError.
  const { message = String(cause), retryable } = (cause ?? {}) as { message?: string; retryable?: unknown };
  return fault(path, message, { cause, retryable: retryable === true });
}
