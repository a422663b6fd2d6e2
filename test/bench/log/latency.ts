import { markdownTable, ratios, show } from './table.ts';
import { sendTo } from './bare.ts';
import { ROLLOUTS, type Bench, type Section } from './bench.ts';
import { ServiceHop, type HopStore } from './hop.ts';
import { paced, Stopwatch, type Latencies } from './paced.ts';

/** Events a second: one that leaves everybody time, and one at which requests begin to queue. */
const RATES = [40, 200];
/** Of each repetition. */
const SECONDS = 3;
const WARM_UP = 100;
const ID = 'ce_subject';
const OURS = 'append → handler';
const BARE = 'bare kafkajs: send → eachBatch';

interface Measured {
  name: string;
  /** Sends so many events at the steady rate and waits until all have arrived. */
  run: (events: number, eachSecond: number) => Promise<Latencies>;
  close: () => Promise<void>;
}

/** From the call of append to the handler, and through a whole service, each in turns at the same rates. */
export async function measureLatency(bench: Bench, stores: readonly HopStore[]): Promise<Section> {
  const opened: Measured[] = [];
  try {
    opened.push(await ours(bench), await bareSide(bench));
    for (const store of stores) {
      const hop = await ServiceHop.open(bench, store);
      const name = `request → service on ${store.name} → reply`;
      opened.push({ name, run: (count, rate) => hop.run(count, rate), close: () => hop.close() });
    }
    for (const { run } of opened) await run(WARM_UP, WARM_UP);
    const rows: string[][] = [];
    for (const rate of RATES) rows.push(...(await rowsAt(rate, bench, opened)));
    return { heading: 'End-to-end latency', text: about(markdownTable(['', 'events/s', 'p50', 'p95', 'p99'], rows)) };
  } finally {
    for (const { close } of opened.reverse()) await close();
  }
}

async function rowsAt(rate: number, { repetitions, say }: Bench, opened: readonly Measured[]): Promise<string[][]> {
  const results = new Map(opened.map(({ name }) => [name, [] as Latencies[]]));
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    for (const { name, run } of opened) {
      const latencies = await run(rate * SECONDS, rate);
      results.get(name)?.push(latencies);
      say(`latency, ${name}, ${rate}/s, ${repetition} of ${repetitions}: p50 ${latencies.p50.toFixed(1)} ms`);
    }
  }
  const of = (name: string, which: keyof Latencies) => (results.get(name) ?? []).map((one) => one[which]);
  const row = (name: string, cell: (which: keyof Latencies) => string) => {
    return [name, String(rate), cell('p50'), cell('p95'), cell('p99')];
  };
  const rows = opened.map(({ name }) => row(name, (which) => show(of(name, which), 1)));
  rows.splice(
    2,
    0,
    row('ratio of the two, smaller is better', (which) => show(ratios(of(OURS, which), of(BARE, which)), 2)),
  );
  return rows;
}

function about(table: string): string {
  return (
    `One event an append at a steady rate for ${SECONDS} s a repetition; sender and receiver in one process. A bare idempotent ` +
    `producer sends one request at a time, so at the higher rate its calls may queue; ours sends together what waits. ` +
    `The service takes a request from the log, commits inbox, document, outbox and checkpoint in one transaction, and its relay ` +
    `publishes the reply; the time is from the request's append to the reply's handler, so two hops over the log. ` +
    `Milliseconds:\n\n${table}`
  );
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
    name: OURS,
    run: async (count, eachSecond) => {
      watch = new Stopwatch();
      const records = source.rollouts(0, count);
      await paced(count, eachSecond, (i) => {
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
    name: BARE,
    run: async (count, eachSecond) => {
      watch = new Stopwatch();
      const records = source.rollouts(0, count);
      await paced(count, eachSecond, (i) => {
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
