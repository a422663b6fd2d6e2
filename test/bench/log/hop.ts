import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import type { Subscription } from '@whale/event-log';
import { KafkaEventLog, kafkaSettings } from '@whale/event-log-kafka';
import { systemClock } from '@whale/kernel';
import { startService, type RunningService, type ServiceStore } from '@whale/service-kit';
import { ECHO_TOPIC, echoService, request } from '../../../libs/service-kit/src/support/echo-service.ts';
import { recordOf } from '../../../libs/service-kit/src/support/records.ts';
import type { Bench } from './bench.ts';
import { paced, Stopwatch, type Latencies } from './paced.ts';

export interface HopStore {
  name: string;
  /** A fresh one; `folder` is empty and is removed afterwards. */
  open: (folder: string) => ServiceStore;
}

/** A real service that answers each request by an event, on a log of its own, and one who asks. */
export class ServiceHop {
  readonly #log: KafkaEventLog;
  readonly #folder: string;
  #service: RunningService | null = null;
  #replies: Subscription | null = null;
  #watch = new Stopwatch();
  #asked = 0;

  private constructor(log: KafkaEventLog, folder: string) {
    this.#log = log;
    this.#folder = folder;
  }

  static async open({ url, prefix, say }: Bench, store: HopStore): Promise<ServiceHop> {
    const topicPrefix = `${prefix}hop-${store.name.toLowerCase()}.`;
    const log = await KafkaEventLog.open(kafkaSettings(url, { WHALE_KAFKA_TOPIC_PREFIX: topicPrefix }));
    const hop = new ServiceHop(log, await mkdtemp(join(tmpdir(), 'whale-hop-')));
    try {
      await hop.#start(store, say);
      return hop;
    } catch (error) {
      await hop.close();
      throw error;
    }
  }

  async run(count: number, eachSecond: number): Promise<Latencies> {
    this.#watch = new Stopwatch();
    const from = this.#asked;
    this.#asked += count;
    await paced(count, eachSecond, (i) => {
      const name = `hop-${from + i}`;
      const record = recordOf(request(name));
      this.#watch.start(name);
      return this.#log.append([record]);
    });
    return this.#watch.all();
  }

  async close(): Promise<void> {
    await this.#replies?.stop();
    await this.#service?.stop();
    await this.#log.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(store: HopStore, say: Bench['say']): Promise<void> {
    const platform = {
      log: this.#log,
      logName: 'a log to measure',
      blobs: new FolderBlobStore(join(this.#folder, 'blobs')),
      clock: systemClock,
      store: () => store.open(this.#folder),
      onTrouble: (service: string, message: string) => say(`${service} on ${store.name}: ${message}`),
    };
    this.#service = await startService(echoService(), platform, {});
    this.#replies = await this.#log.subscribe({
      group: 'asker',
      topics: [ECHO_TOPIC],
      checkpoint: () => undefined,
      onBatch: async ({ records }) => {
        for (const { key } of records) this.#watch.arrived(key);
      },
    });
  }
}
