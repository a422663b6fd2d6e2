import { setTimeout as sleep } from 'node:timers/promises';
import type { ProposerUsage } from '@whale/contracts';
import { rng, type Rng } from '@whale/kernel';
import type { SessionEnd } from '../proposer.ts';
import { timeLimit } from '../time-limit.ts';
import type { AskResult, FailedCall, MessagesApi } from './api.ts';
import { allow, millisecondsLeft, type Allowance } from './limits.ts';
import type { SessionJournal } from './session-journal.ts';
import { callParams, mostPromptTokens, type Frame } from './transcript.ts';

/** Attempts of one call in one process. */
const MOST_ATTEMPTS = 4;
const LONGEST_BACKOFF_MS = 30_000;

export interface CallerParts {
  api: MessagesApi;
  journal: SessionJournal;
  frame: Frame;
  signal: AbortSignal;
  /** Wait before the second attempt where the API names none; it doubles with each. */
  backoffMilliseconds: number;
  /** Names the random stream that spreads the waits. */
  seed: string;
}

/** Makes calls, each attempt on record at the most that it can cost before it is made, and at what it cost afterwards. */
export class Caller {
  readonly #parts: CallerParts;
  readonly #random: Rng;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    this.#random = rng(`${parts.seed}/claude/backoff`);
  }

  /**
   * Makes the next call of the conversation; null once its reply is on record. Else the limit that leaves no room for
   * it, or what ends the session. Throws WhaleError where the API stays out of reach, and when the signal aborts.
   */
  async call(): Promise<SessionEnd | null> {
    const { journal, frame, signal } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const { progress } = journal;
      const allowance = allow(progress, journal.running, mostPromptTokens(frame, progress.turns), frame.spec);
      if ('reason' in allowance) return allowance;
      await journal.begin(allowance);
      const result = await this.#ask(allowance);
      if ('end' in result) return result.end;
      if ('reply' in result) {
        await journal.answered(result.reply);
        return null;
      }
      const { failure } = result;
      await journal.lost(failure.message, costOf(result, allowance));
      if (failure.tooLong && progress.turns.length > 0) {
        return { reason: 'finished', message: 'the conversation no longer fits the context window of the model' };
      }
      if (!failure.retry || attempt === MOST_ATTEMPTS) throw failure.error;
      await this.#wait(result, attempt);
    }
  }

  async #ask({ maxTokens, usage }: Allowance): Promise<AskResult | { end: SessionEnd }> {
    const { api, journal, frame, signal } = this.#parts;
    const { limits } = frame.spec;
    const worked = journal.progress.spent.milliseconds + journal.running;
    const time = timeLimit(millisecondsLeft(worked, limits));
    const params = callParams(frame, journal.progress.turns, maxTokens);
    const result = await api.ask(params, AbortSignal.any([signal, time]));
    if ('reply' in result) return result;
    signal.throwIfAborted();
    if (!time.aborted) return result;
    await journal.lost('the time was up', costOf(result, { usage, maxTokens }));
    return { end: { reason: 'seconds', message: `${limits.seconds} s are over` } };
  }

  async #wait({ failure }: FailedCall, attempt: number): Promise<void> {
    const { journal, frame, signal, backoffMilliseconds } = this.#parts;
    const backoff = Math.min(backoffMilliseconds * 2 ** (attempt - 1), LONGEST_BACKOFF_MS);
    const wait = failure.waitMilliseconds ?? backoff * (1 - this.#random.float() / 4);
    // A wait that the session has no time for is left to the host, which tries again later.
    const worked = journal.progress.spent.milliseconds + journal.running;
    if (wait >= millisecondsLeft(worked, frame.spec.limits)) throw failure.error;
    await sleep(wait, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}

/** What a failed call may have cost: its prompt as the API has counted it, where it has, and a reply of full length. */
function costOf(
  { failure, prompt }: FailedCall,
  { usage, maxTokens }: Pick<Allowance, 'usage' | 'maxTokens'>,
): ProposerUsage {
  if (failure.billed === 'no') return { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };
  return prompt === null ? usage : { ...prompt, output: maxTokens };
}
