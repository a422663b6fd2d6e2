import { markdownTable, ratios, show } from './table.ts';
import { meanBytes } from './events.ts';
import { sendTo } from './bare.ts';
import type { Bench, Section } from './bench.ts';

/** As many as the relay of a service publishes at once. */
const BATCH = 100;
const WRITERS = [1, 8];
const WARM_UP = 2_000;

/** Appends against a bare idempotent producer. Leaves `events` events on the topic or a few more. */
export async function measureProducers(bench: Bench, events: number): Promise<Section> {
  const { source, log, bare, repetitions } = bench;
  const each = Math.ceil(events / (WRITERS.length * 2 * repetitions) / BATCH) * BATCH;
  const producer = await bare.producer();
  let written = 0;
  const batches = (count: number) => {
    const list = [];
    for (let i = 0; i < count; i += BATCH) list.push(source.rollouts(written + i, BATCH));
    written += count;
    return list;
  };
  const ours = async (writers: number, count: number) => {
    const list = batches(count);
    return rate(count, () => share(list, writers, (records) => log.append(records)));
  };
  const theirs = async (writers: number, count: number) => {
    const list = batches(count).map((records) => bare.topicMessages(records));
    return rate(count, () => share(list, writers, (messages) => sendTo(producer, messages)));
  };
  try {
    await ours(1, WARM_UP);
    await theirs(1, WARM_UP);
    const rows: string[][] = [];
    for (const writers of WRITERS) {
      const numbers = await inTurns(bench, `producer, ${writers} at once`, {
        ours: () => ours(writers, each),
        bare: () => theirs(writers, each),
      });
      const name = writers === 1 ? '1 append after the other' : `${writers} appends at once`;
      rows.push([name, show(numbers.ours), show(numbers.bare), show(ratios(numbers.ours, numbers.bare), 2)]);
    }
    return {
      heading: 'Producer throughput',
      text:
        `\`append\` of ${BATCH} RolloutCompleted events (${meanBytes(source.rollouts(0, 1_000))} bytes on average with headers) ` +
        `against \`sendBatch\` of an idempotent kafkajs producer: all in-sync replicas acknowledge, gzip, 12 partitions; ` +
        `${each.toLocaleString('en')} events a repetition. Events a second:\n\n` +
        markdownTable(['', 'ours', 'bare kafkajs', 'ratio'], rows),
    };
  } finally {
    await producer.disconnect();
  }
}

async function rate(events: number, work: () => Promise<void>): Promise<number> {
  const since = performance.now();
  await work();
  return events / ((performance.now() - since) / 1000);
}

/** Each of the writers waits for its append before the next. */
async function share<Item>(items: readonly Item[], writers: number, write: (item: Item) => Promise<void>) {
  let next = 0;
  const writer = async () => {
    for (let i = next++; i < items.length; i = next++) await write(items[i] as Item);
  };
  await Promise.all(Array.from({ length: writers }, writer));
}

/** Ours, bare, ours, bare, …: the numbers of each side in the order of the repetitions. */
async function inTurns(
  { repetitions, say }: Bench,
  what: string,
  sides: { ours: (repetition: number) => Promise<number>; bare: (repetition: number) => Promise<number> },
): Promise<{ ours: number[]; bare: number[] }> {
  const numbers = { ours: [] as number[], bare: [] as number[] };
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const side of ['ours', 'bare'] as const) {
      const number = await sides[side](repetition);
      numbers[side].push(number);
      say(`${what}, ${side}, ${repetition + 1} of ${repetitions}: ${Math.round(number).toLocaleString('en')} events/s`);
    }
  }
  return numbers;
}
