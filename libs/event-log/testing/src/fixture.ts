import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import type { AppendRecord, BackOff, EventLog, LogRecord, SubscribeOptions } from '@whale/event-log';
import type { Child } from './child.ts';
import { Consumer } from './consumer.ts';
import type { ConsumerChildMessage } from './consumer-child.ts';
import { consumerProcess } from './consumer-process.ts';
import type { LogHarness } from './harness.ts';

/** What one test opens, and closes again whatever happens. */
export class Fixture {
  readonly harness: LogHarness;
  readonly #cleanups: (() => Promise<unknown>)[] = [];

  constructor(harness: LogHarness) {
    this.harness = harness;
  }

  async log(options: { backOff?: BackOff } = {}): Promise<EventLog> {
    const log = await this.harness.open(options);
    this.#cleanups.push(() => log.close());
    return log;
  }

  /** A new topic; its name. */
  async topic(log: EventLog, partitions: number): Promise<string> {
    const name = `t-${randomUUID()}`;
    await log.ensureTopics([{ name, partitions }]);
    return name;
  }

  group(): string {
    return `g-${randomUUID()}`;
  }

  /** A consumer that runs, and is stopped with the test. */
  async consumer(
    log: EventLog,
    group: string,
    topic: string,
    consumer = new Consumer(),
    extra: Partial<SubscribeOptions> = {},
  ): Promise<Consumer> {
    await consumer.start(log, group, topic, extra);
    this.#cleanups.push(() => consumer.stop());
    return consumer;
  }

  consumerProcess(group: string, topic: string): Child<ConsumerChildMessage> {
    const child = consumerProcess(this.harness.child, group, topic);
    this.#cleanups.push(() => child.kill());
    return child;
  }

  /** Waits until `check` throws no more. */
  eventually(check: () => void | Promise<void>): Promise<void> {
    return vi.waitFor(check, { timeout: this.harness.settleMs, interval: 10 });
  }

  async cleanUp(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
  }
}

export function record(topic: string, key: string, value: string, headers: Record<string, string> = {}): AppendRecord {
  return { topic, key, headers, value };
}

export async function collect(records: AsyncIterable<LogRecord>): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for await (const each of records) all.push(each);
  return all;
}

/** All records of a topic, partition after partition. */
export async function readAll(log: EventLog, topic: string): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for (const { partition } of await log.heads([topic]))
    all.push(...(await collect(log.read({ topic, partition, from: 0 }))));
  return all;
}

/** A key for each of the partitions 0 to n−1 of `topic`, found by trying on another topic. */
export async function keyPerPartition(log: EventLog, topic: string): Promise<string[]> {
  const partitions = (await log.heads([topic])).length;
  const probe = `${topic}-probe`;
  await log.ensureTopics([{ name: probe, partitions }]);
  await log.append(Array.from({ length: partitions * 16 }, (_, index) => record(probe, `key-${index}`, '')));
  const found = new Map((await readAll(log, probe)).map(({ partition, key }) => [partition, key]));
  return Array.from({ length: partitions }, (_, partition) => {
    const key = found.get(partition);
    if (key === undefined) throw new Error(`no key found for partition ${partition} of ${topic}`);
    return key;
  });
}
