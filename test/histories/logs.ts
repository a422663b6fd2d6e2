import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { FolderBlobStore, type BlobStore } from '@whale/blob-store';
import { topicDefinitions } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import { KafkaEventLog, kafkaSettings } from '@whale/event-log-kafka';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { describeKafka, sharedBroker } from '@whale/kafka-broker/testing';
import { describe } from 'vitest';
import { scratchFolder } from '../support/whale-process.ts';

export interface FreshLog {
  log: EventLog;
  blobs: BlobStore;
  remove(): Promise<void>;
}

/** An adapter of the log; each `open` gives an empty log with all topics. */
export interface LogAdapter {
  name: string;
  /** Skips, with a line that says so, where the log cannot be had. */
  describe(name: string, define: () => void): unknown;
  open(): Promise<FreshLog>;
}

const sqlite: LogAdapter = {
  name: 'SQLite',
  describe,
  open: async () => {
    const folder = scratchFolder('histories');
    const log = await SqliteEventLog.open({ path: join(folder.path, 'log.sqlite') });
    await log.ensureTopics(topicDefinitions());
    const remove = async () => {
      await log.close();
      folder.remove();
    };
    return { log, blobs: new FolderBlobStore(join(folder.path, 'blobs')), remove };
  },
};

const kafka: LogAdapter = {
  name: 'Kafka',
  describe: describeKafka,
  open: async () => {
    const folder = scratchFolder('histories');
    const { url } = await sharedBroker();
    const prefix = `histories-${randomUUID().slice(0, 8)}.`;
    const log = await KafkaEventLog.open(kafkaSettings(url, { WHALE_KAFKA_TOPIC_PREFIX: prefix }));
    await log.ensureTopics(topicDefinitions());
    const remove = async () => {
      await log.close();
      folder.remove();
    };
    return { log, blobs: new FolderBlobStore(join(folder.path, 'blobs')), remove };
  },
};

/** The frozen records are read on each of them. */
export const LOG_ADAPTERS: readonly LogAdapter[] = [sqlite, kafka];
