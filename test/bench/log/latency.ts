import { markdownTable, show } from './table.ts';
import { sendTo } from './bare.ts';
import { ROLLOUTS, type Bench, type Section } from './bench.ts';
import { ServiceHop, type HopStore } from './hop.ts';
import { paced, Stopwatch, type Latencies } from './paced.ts';

const EACH_SECOND = 200;
const WARM_UP = 100;
const ID = 'ce_subject';

interface Measured {
  name: string;
  /** Sends so many events at the steady rate and waits until all have arrived. */
  run: (events: number) => Promise<Latencies>;
  close: () => Promise<void>;
}

/** From the call of append to the handler, and through a whole service, each in turns at the same modest rate. */
export async function measureLatency(bench: Bench, events: number, stores: readonly HopStore[]): Promise<Section> {
  const opened: Measured[] = [];
  try {
    opened.push(await ours(bench), await bareSide(bench));
    for (const store of stores) {
      const hop = await ServiceHop.open(bench, store);
      opened.push({
        name: `request → service on ${store.name} → reply`,
        run: (count) => hop.run(count, EACH_SECOND),
        close: () => hop.close(),
      });
    }
    const results = new Map(opened.map(({ name }) => [name, [] as Latencies[]]));
    for (const { run } of opened) await run(WARM_UP);
    for (let repetition = 1; repetition <= bench.repetitions; repetition++) {
      for (const { name, run } of opened) {
        const latencies = await run(events);
        results.get(name)?.push(latencies);
        bench.say(`latency, ${name}, ${repetition} of ${bench.repetitions}: p50 ${latencies.p50.toFixed(1)} ms`);
      }
    }
    const rows = [...results].map(([name, all]) => [
      name,
      ...(['p50', 'p95', 'p99'] as const).map((which) =>
        show(
          all.map((latencies) => latencies[which]),
          1,
        ),
      ),
    ]);
    return {
      heading: 'End-to-end latency',
      text:
        `${EACH_SECOND} events a second, one event an append, ${events.toLocaleString('en')} a repetition; sender and receiver in one process. ` +
        `The service takes a request from the log, commits inbox, document, outbox and checkpoint in one transaction, and its relay ` +
        `publishes the reply; the time is from the request's append to the reply's handler, so two hops over the log. Milliseconds:\n\n` +
        markdownTable(['', 'p50', 'p95', 'p99'], rows),
    };
  } finally {
    for (const { close } of opened.reverse()) await close();
  }
}

async function ours({ log, source }: Bench): Promise<Measured> {
  let watch = new Stopwatch();
  const heads = await log.heads([ROLLOUTS]);
  const subscription = await log.subscribe({
    group: 'latency',
    topics: [ROLLOUTS],
    checkpoint: ({ partition }) => heads.find((head) => head.partition === partition)?.offset,
    onBatch: async ({ records }) => {
      for (const { headers } of records) watch.arrived(headers[ID] ?? '');
    },
  });
  return {
    name: 'append → handler',
    run: async (count) => {
      watch = new Stopwatch();
      const records = source.rollouts(0, count);
      await paced(count, EACH_SECOND, (i) => {
        const record = records[i] as (typeof records)[number];
        watch.start(record.headers[ID] as string);
        return log.append([record]);
      });
      return watch.all();
    },
    close: () => subscription.stop(),
  };
}

/** On the same topic: it sees the events of ours too, and passes them over. */
async function bareSide({ bare, source }: Bench): Promise<Measured> {
  let watch = new Stopwatch();
  const producer = await bare.producer();
  const consumer = await bare.consumer('bare-latency', ROLLOUTS, { fromBeginning: false });
  const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()));
  await consumer.run({
    eachBatch: async ({ batch }) => {
      for (const { headers } of batch.messages) watch.arrived(headers?.[ID]?.toString() ?? '');
    },
  });
  await joined;
  return {
    name: 'bare kafkajs: send → eachBatch',
    run: async (count) => {
      watch = new Stopwatch();
      const records = source.rollouts(0, count);
      await paced(count, EACH_SECOND, (i) => {
        const record = records[i] as (typeof records)[number];
        const messages = bare.topicMessages([record]);
        watch.start(record.headers[ID] as string);
        return sendTo(producer, messages);
      });
      return watch.all();
    },
    close: async () => {
      await consumer.disconnect();
      await producer.disconnect();
    },
  };
}
