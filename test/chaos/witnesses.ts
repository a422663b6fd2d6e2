import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../support/fleet.ts';

const LOOK_EVERY_MS = 100;

/** Processes, and what each has said since it was started. */
export class Witnesses {
  readonly #members: readonly Member[];

  constructor(members: readonly Member[]) {
    this.#members = [...members];
  }

  /** Waits until all that still run have said so; returns those that have not in time, as sentences. */
  async untilAllSay(words: RegExp, limitMs: number): Promise<string[]> {
    const silent = () => this.#members.filter((each) => isRunning(each) && !words.test(each.running.stderr()));
    const end = Date.now() + limitMs;
    while (silent().length > 0 && Date.now() < end) await sleep(LOOK_EVERY_MS);
    return silent().map(({ services, running }) => `${services} have not said ${words} but: ${running.stderr()}`);
  }

  /** Those that have ended, as sentences. */
  ended(): string[] {
    const ended = this.#members.filter((each) => !isRunning(each));
    return ended.map(({ services, running }) => `${services} have ended: ${running.stderr()}`);
  }
}

function isRunning({ running: { process } }: Member): boolean {
  return process.exitCode === null && process.signalCode === null;
}
