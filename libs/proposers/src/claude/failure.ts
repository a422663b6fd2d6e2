import { EnvironmentError, InputError, WhaleError } from '@whale/kernel';

/** A call that brought no usable reply. */
export class CallFailure extends Error {
  /** Whether the same call may do better a little later. */
  readonly retry: boolean;
  /** `no`: the API has refused it, or was not reached. `maybe`: it may have been worked on, so it is counted. */
  readonly billed: 'no' | 'maybe';
  /** What the API asks to wait, ms. */
  readonly waitMilliseconds: number | null;
  /** The prompt does not fit the model. */
  readonly tooLong: boolean;
  /** What is thrown when it is not tried again. */
  readonly error: WhaleError;

  constructor(parts: {
    message: string;
    retry: boolean;
    billed: 'no' | 'maybe';
    waitMilliseconds?: number | null;
    tooLong?: boolean;
    error?: WhaleError;
  }) {
    super(parts.message);
    this.name = 'CallFailure';
    this.retry = parts.retry;
    this.billed = parts.billed;
    this.waitMilliseconds = parts.waitMilliseconds ?? null;
    this.tooLong = parts.tooLong ?? false;
    this.error = parts.error ?? unavailable(parts.message);
  }
}

/** A reply that breaks off, or that is none. The model may have been at work for it. */
export function brokenReply(message: string): CallFailure {
  return new CallFailure({ message, retry: true, billed: 'maybe' });
}

/** What an HTTP error or an `error` event of a stream says, without the key. */
export interface ApiProblem {
  /** Undefined for an event in a stream, whose own status was 200. */
  status: number | undefined;
  /** `overloaded_error` and the like. */
  type: string | null;
  /** Narrower than `type`, e.g. `enforced_spend_limit_reached`. */
  code: string | null;
  message: string;
  header(name: string): string | null;
}

const PASSING_TYPES = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error']);

export function failureOf(problem: ApiProblem, model: string, now: number): CallFailure {
  const { status, type, code, message } = problem;
  const said = `${status ?? 'stream'} ${type ?? 'error'}: ${message}`;
  const passing = status === undefined ? PASSING_TYPES.has(type ?? 'api_error') : isPassing(status, problem, code);
  return new CallFailure({
    message: said,
    retry: passing,
    // A request that is refused costs nothing; who knows of one that broke.
    billed: status !== undefined && (status < 500 || status === 529) ? 'no' : 'maybe',
    waitMilliseconds: retryAfter(problem, now),
    tooLong: status === 413 || (status === 400 && /too long|context window|exceed\S* context/iu.test(message)),
    error: passing ? unavailable(said) : lasting(status, said, model),
  });
}

function isPassing(status: number, { header }: ApiProblem, code: string | null): boolean {
  // A month's money is spent: the same status as a rate limit, but waiting does not help.
  if (code?.includes('spend_limit') === true) return false;
  const hint = header('x-should-retry');
  if (hint === 'true' || hint === 'false') return hint === 'true';
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Retry-After in seconds or as a date; `retry-after-ms` goes before it. ms, or null. */
function retryAfter({ header }: ApiProblem, now: number): number | null {
  const exact = Number(header('retry-after-ms') ?? Number.NaN);
  if (exact > 0) return exact;
  const text = header('retry-after');
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  const wait = Number.isNaN(seconds) ? Date.parse(text) - now : seconds * 1000;
  return wait > 0 ? wait : null;
}

function unavailable(said: string): WhaleError {
  return new WhaleError('PROPOSER_UNAVAILABLE', `the Messages API gives no answer: ${said}`, { retryable: true });
}

/** What does not pass by itself, with what to do about it. */
function lasting(status: number | undefined, said: string, model: string): WhaleError {
  switch (status) {
    case 401:
      return new EnvironmentError(
        `the Messages API refuses the key (${said}). Put a valid one into ANTHROPIC_API_KEY of the proposer service.`,
      );
    case 403:
      return new EnvironmentError(
        `the Messages API allows this key no call of ${model} (${said}). Use a key of a workspace that may, or another proposer.model.`,
      );
    case 404:
      return new InputError(
        `proposer.model: the Messages API does not know ${model} (${said}). Name one of its models; with proposer.baseUrl, one that this server has.`,
      );
    case 402:
    case 429:
      return new WhaleError('PROPOSER_CREDIT', `the account's money or spend limit is used up (${said}).`);
    default:
      return new WhaleError(
        'PROPOSER_REQUEST',
        `the Messages API refuses the call (${said}). Where it names a parameter, see proposer.thinking, proposer.maxTokens and proposer.model.`,
      );
  }
}
