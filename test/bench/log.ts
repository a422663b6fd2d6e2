// The log on Kafka against bare kafkajs on the same broker in the same run, and services on a long log: the numbers of
// docs/benchmarks.md. About eight minutes; for a machine that does nothing else. Java and Maven or KAFKA_BROKERS needed.
//
//   npx tsx test/bench/log.ts [--events N] [--restart-events N] [--rebuild-events N]
//     [--repetitions N] [--only PART,…] [--write FILE]
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { topicDefinitions } from '@whale/contracts';
import { KafkaEventLog, kafkaSettings } from '@whale/event-log-kafka';
import { startBroker } from '@whale/kafka-broker';
import { InputError } from '@whale/kernel';
import { PostgresDatabase, PostgresServiceStore, SqliteServiceStore } from '@whale/service-kit';
import { startPostgres } from '@whale/test-postgres';
import { BareKafka } from './log/bare.ts';
import type { Bench, Section } from './log/bench.ts';
import { EventSource } from './log/events.ts';
import { measureLatency } from './log/latency.ts';
import { measureProducers } from './log/producer.ts';
import { measureReplay } from './log/replay.ts';
import { document, writeDocument } from './log/report.ts';
import { measureRestart } from './log/restart.ts';

const PARTS = ['producer', 'replay', 'latency', 'restart'] as const;
type Part = (typeof PARTS)[number];

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '200000' },
    'restart-events': { type: 'string', default: '1000000' },
    /** On the log when the state is built from nothing; without it all of the long log. */
    'rebuild-events': { type: 'string' },
    repetitions: { type: 'string', default: '3' },
    /** The replay reads what the producers have written. */
    only: { type: 'string', default: PARTS.join() },
    write: { type: 'string' },
  },
});
const events = count('events');
const parts = new Set(values.only.split(',').map(part));
const startedAt = performance.now();
const say = (line: string) =>
  console.error(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}`);

const ends: (() => Promise<void>)[] = [];
try {
  const sections = await measureAll();
  const text = await document(sections, process.argv.slice(2));
  console.log(text);
  if (values.write) writeDocument(values.write, text);
} finally {
  for (const end of ends.reverse()) await end();
}

async function measureAll(): Promise<Section[]> {
  const broker = await startBroker({ log: say });
  ends.push(() => broker.stop());
  // As a server in production: a commit waits for the disk.
  const postgres = await startPostgres({ fsync: 'on', full_page_writes: 'on', shared_buffers: '256MB' });
  ends.push(() => postgres.stop());
  const prefix = `bench-${randomUUID().slice(0, 8)}.`;
  const bare = new BareKafka(broker.brokers, prefix);
  ends.push(() => bare.removeTopics());
  const log = await KafkaEventLog.open(kafkaSettings(broker.url, { WHALE_KAFKA_TOPIC_PREFIX: prefix }));
  ends.push(() => log.close());
  await log.ensureTopics(topicDefinitions());
  const source = new EventSource();
  const bench: Bench = { url: broker.url, prefix, log, bare, source, repetitions: count('repetitions'), say };

  const sections: Section[] = [];
  if (parts.has('replay') || parts.has('producer')) sections.push(await measureProducers(bench, events));
  if (parts.has('replay')) sections.unshift(await measureReplay(bench));
  if (parts.has('latency')) {
    const database = await PostgresDatabase.open(postgres.url);
    ends.push(() => database.close());
    const stores = [
      { name: 'SQLite', open: (folder: string) => new SqliteServiceStore(join(folder, 'store.sqlite')) },
      { name: 'PostgreSQL', open: () => new PostgresServiceStore(database, 'whale_bench') },
    ];
    sections.push(await measureLatency(bench, stores));
  }
  if (parts.has('restart')) {
    const all = count('restart-events');
    const rebuildEvents = values['rebuild-events'] === undefined ? all : Math.min(all, count('rebuild-events'));
    const places = [
      { name: 'PostgreSQL', database: postgres.url, rebuildEvents },
      { name: 'SQLite', database: null, rebuildEvents },
    ];
    sections.push(await measureRestart(bench, { brokers: broker.brokers, events: all, places }));
  }
  return sections;
}

function count(name: 'events' | 'restart-events' | 'rebuild-events' | 'repetitions'): number {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 1) throw new InputError(`--${name}: expected a whole number from 1`);
  return number;
}

function part(name: string): Part {
  const found = PARTS.find((known) => known === name);
  if (found === undefined) throw new InputError(`--only: no part is called "${name}". There are: ${PARTS.join(', ')}`);
  return found;
}
