import { setTimeout as sleep } from 'node:timers/promises';
import { eventDefinition, TOPIC_NAMES, type TopicName } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import { openExistingLog, type PlatformLocation } from '@whale/service-host';

const POLL_MS = 25;

/** Looks at a log from outside, while other processes write it. */
export class LogProbe {
  readonly #location: PlatformLocation;
  readonly #environment: NodeJS.ProcessEnv;
  #log: EventLog | null = null;

  constructor(location: PlatformLocation, environment: NodeJS.ProcessEnv = {}) {
    this.#location = location;
    this.#environment = environment;
  }

  /** Records on all topics; 0 while there is no log. */
  async records(): Promise<number> {
    try {
      const heads = await (await this.#opened())?.heads(TOPIC_NAMES);
      return (heads ?? []).reduce((sum, head) => sum + head.offset, 0);
    } catch {
      // The log is being made, its topics are, or its broker is away.
      return 0;
    }
  }

  /** Waits until the log holds so many records; false when `givenUp` before. */
  async reached(records: number, givenUp: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      if (givenUp()) return false;
      if ((await this.records()) >= records) return true;
      await sleep(POLL_MS);
    }
  }

  /** Events of a type; 0 while there is no log. */
  async count(type: string): Promise<number> {
    try {
      return (await this.eventIds(type)).length;
    } catch {
      return 0;
    }
  }

  /** Event ids by type, in no particular order: duplicates show as repeated ids. */
  async eventIds(type: string): Promise<string[]> {
    const log = await this.#opened();
    const ids: string[] = [];
    const topic = eventDefinition(type)?.topic as TopicName;
    for (const { partition } of (await log?.heads([topic])) ?? []) {
      for await (const record of log?.read({ topic, partition, from: 0 }) ?? []) {
        if (record.headers['ce_type'] === type) ids.push(record.headers['ce_id'] as string);
      }
    }
    return ids;
  }

  async close(): Promise<void> {
    await this.#log?.close();
    this.#log = null;
  }

  async #opened(): Promise<EventLog | null> {
    this.#log ??= await openExistingLog(this.#location, { ...process.env, ...this.#environment });
    return this.#log;
  }
}
