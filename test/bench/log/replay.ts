import type { Batch } from 'kafkajs';
import { markdownTable, ratios, show } from './table.ts';
import { ROLLOUTS, type Bench, type Section } from './bench.ts';

const GOAL = 0.8;

interface Replay {
  /** Events a second from the call of subscribe to the last event: joining the group is in it. */
  whole: number;
  /** Events a second from the first batch to the last. */
  flow: number;
  /** From the call of subscribe to the first batch, ms. */
  joinMs: number;
}

type Side = 'ours' | 'bare' | 'texts';

/** What lies on the topic of the producers, from its start, by our subscription and by a bare consumer in turns. */
export async function measureReplay(bench: Bench): Promise<Section> {
  const { log, repetitions, say } = bench;
  const events = (await log.heads([ROLLOUTS])).reduce((sum, { offset }) => sum + offset, 0);
  const sides: Record<Side, (group: string) => Promise<Replay>> = {
    ours: (group) => ourReplay(bench, group, events),
    bare: (group) => bareReplay(bench, group, events, () => undefined),
    texts: (group) => bareReplay(bench, group, events, makeTexts),
  };
  const results: Record<Side, Replay[]> = { ours: [], bare: [], texts: [] };
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    for (const side of ['ours', 'bare', 'texts'] as const) {
      const result = await sides[side](`replay-${side}-${repetition}`);
      results[side].push(result);
      say(
        `replay, ${side}, ${repetition} of ${repetitions}: ${Math.round(result.whole).toLocaleString('en')} events/s`,
      );
    }
  }
  return { heading: 'Replay throughput', text: textOf(events, results) };
}

function textOf(events: number, results: Record<Side, Replay[]>): string {
  const of = (side: Side, which: keyof Replay) => results[side].map((replay) => replay[which]);
  const row = (name: string, which: keyof Replay) => [
    name,
    show(of('ours', which)),
    show(of('bare', which)),
    show(ratios(of('ours', which), of('bare', which)), 2),
    show(of('texts', which)),
    show(ratios(of('ours', which), of('texts', which)), 2),
  ];
  return (
    `${events.toLocaleString('en')} events on 12 partitions from the start to the end, by \`subscribe\` with an empty handler and by a ` +
    `kafkajs consumer with an empty \`eachBatch\`, each in a new group. Ours hands over texts (key, headers, value); the bare ` +
    `consumer leaves bytes, and "with texts" is the same consumer making those texts. Goal: the first ratio ≥ ${GOAL}.\n\n` +
    markdownTable(
      ['', 'ours', 'bare kafkajs', 'ratio', 'bare with texts', 'ratio'],
      [
        row('events/s, subscribe to last event', 'whole'),
        row('events/s, first batch to last', 'flow'),
        row('ms, subscribe to first batch', 'joinMs'),
      ],
    )
  );
}

class Counter {
  readonly done: Promise<void>;
  readonly #events: number;
  readonly #since = performance.now();
  #first = 0;
  #firstCount = 0;
  #count = 0;
  #resolve: () => void = () => undefined;

  constructor(events: number) {
    this.#events = events;
    this.done = new Promise((resolve) => (this.#resolve = resolve));
  }

  add(count: number): void {
    if (this.#count === 0) {
      this.#first = performance.now();
      this.#firstCount = count;
    }
    this.#count += count;
    if (this.#count >= this.#events) this.#resolve();
  }

  async result(): Promise<Replay> {
    await this.done;
    const now = performance.now();
    return {
      whole: (1000 * this.#events) / (now - this.#since),
      flow: (1000 * (this.#events - this.#firstCount)) / (now - this.#first),
      joinMs: this.#first - this.#since,
    };
  }
}

async function ourReplay({ log }: Bench, group: string, events: number): Promise<Replay> {
  const counter = new Counter(events);
  const subscription = await log.subscribe({
    group,
    topics: [ROLLOUTS],
    checkpoint: () => undefined,
    onBatch: async ({ records }) => counter.add(records.length),
  });
  const result = await counter.result();
  await subscription.stop();
  return result;
}

async function bareReplay(
  { bare }: Bench,
  group: string,
  events: number,
  take: (batch: Batch) => void,
): Promise<Replay> {
  const counter = new Counter(events);
  const consumer = await bare.consumer(group, ROLLOUTS);
  await consumer.run({
    eachBatch: async ({ batch }) => {
      take(batch);
      counter.add(batch.messages.length);
    },
  });
  const result = await counter.result();
  await consumer.disconnect();
  return result;
}

function makeTexts({ messages }: Batch): void {
  for (const { key, value, headers = {} } of messages) {
    const texts: Record<string, string> = { key: String(key), value: String(value) };
    for (const [name, header] of Object.entries(headers)) texts[name] = String(header);
  }
}
