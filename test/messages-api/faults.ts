import { rng } from '@whale/kernel';

/** What goes wrong with one request. Those of a stream befall an answer without streaming as near as they can. */
export type Fault =
  /** An error in place of the answer. */
  | {
      kind: 'status';
      status: number;
      retryAfterSeconds?: number;
      retryAfterMilliseconds?: number;
      /** What the answer says of trying again, where it says it. */
      shouldRetry?: boolean;
    }
  /** An `error` event in the middle of the longest block; without streaming, the status that belongs to it. */
  | { kind: 'error-event'; status?: 500 | 529 }
  /** `json`: one event's data is no JSON; `html`: a page of some proxy comes with status 200. */
  | { kind: 'malformed'; what: 'json' | 'html' }
  /** Silence before the answer, with a ping at each of `pings` equal parts of it; then each chunk waits. */
  | { kind: 'slow'; silenceMilliseconds?: number; pings?: number; chunkMilliseconds?: number }
  /** The connection breaks: before the head, or in the longest block; `end`: it is closed before `message_stop`. */
  | { kind: 'cut'; where: 'head' | 'block' | 'end' }
  /** Half of the last block is said, then the tokens are spent. */
  | { kind: 'max-tokens' }
  /** The answer breaks off with nothing said. */
  | { kind: 'refusal' };

/** The fault of request number n, from 1; requests that are refused as wrong count, but have none. */
export type FaultPlan = (n: number) => Fault | undefined;

export function faultsAt(faults: Readonly<Record<number, Fault>>): FaultPlan {
  return (n) => faults[n];
}

/** Each request by itself is at fault with this probability, by one of the faults. */
export function faultsByChance(seed: string, probability: number, faults: readonly Fault[]): FaultPlan {
  return (n) => {
    const random = rng(`messages-api/faults/${seed}/${n}`);
    return random.float() < probability ? random.pick(faults) : undefined;
  };
}
