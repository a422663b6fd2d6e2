import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './table.ts';

/** How long the last events may take to come, ms. */
const LAST_LIMIT_MS = 30_000;

/** Milliseconds. */
export interface Latencies {
  p50: number;
  p95: number;
  p99: number;
}

/** Times of events from their start to their arrival, by a name of each. */
export class Stopwatch {
  readonly #started = new Map<string, number>();
  readonly #took: number[] = [];

  start(name: string): void {
    this.#started.set(name, performance.now());
  }

  /** Names that were not started, or have arrived before, do not count. */
  arrived(name: string): void {
    const since = this.#started.get(name);
    if (since === undefined) return;
    this.#started.delete(name);
    this.#took.push(performance.now() - since);
  }

  /** Throws when an event does not come. */
  async all(): Promise<Latencies> {
    const deadline = performance.now() + LAST_LIMIT_MS;
    while (this.#started.size > 0) {
      if (performance.now() > deadline) throw new Error(`${this.#started.size} events have not arrived`);
      await sleep(5);
    }
    const sorted = this.#took.sort((a, b) => a - b);
    return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99) };
  }
}

/** Calls `send` for 0, 1, … at a steady rate whether or not the calls before have ended, and waits for all of them. */
export async function paced(count: number, eachSecond: number, send: (i: number) => Promise<unknown>): Promise<void> {
  const since = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let i = 0; i < count; i++) {
    const wait = since + (i * 1000) / eachSecond - performance.now();
    if (wait > 0) await sleep(wait);
    const call = send(i);
    // Told by `all` below.
    call.catch(() => undefined);
    sent.push(call);
  }
  await Promise.all(sent);
}
