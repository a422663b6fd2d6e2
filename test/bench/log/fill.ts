import type { BareKafka } from './bare.ts';
import { sendTo } from './bare.ts';
import type { EventSource } from './events.ts';

/** Experiments of one request, and requests that are under way at once. */
const REQUEST_EXPERIMENTS = 5;
const REQUESTS = 3;
const TOLD_EVERY = 100;

/** Writes whole experiments, as fast as a bare producer does, until the log has `events` events. */
export class Filler {
  readonly #source: EventSource;
  readonly #bare: BareKafka;
  readonly #say: (line: string) => void;
  #copies = 0;

  constructor(source: EventSource, bare: BareKafka, say: (line: string) => void) {
    this.#source = source;
    this.#bare = bare;
    this.#say = say;
  }

  get events(): number {
    return this.#copies * this.#source.experimentSize;
  }

  async fill(events: number): Promise<void> {
    const wanted = Math.ceil(events / this.#source.experimentSize);
    // An idempotent one gives up when a new topic's partition is not there yet: it loses count of what it has written.
    const producer = await this.#bare.producer({ idempotent: false });
    const lane = async () => {
      while (this.#copies < wanted) {
        const records = Array.from({ length: Math.min(REQUEST_EXPERIMENTS, wanted - this.#copies) }, () =>
          this.#next(),
        );
        await sendTo(producer, this.#bare.topicMessages(records.flat()));
      }
    };
    try {
      await Promise.all(Array.from({ length: REQUESTS }, lane));
    } finally {
      await producer.disconnect();
    }
  }

  #next() {
    const records = this.#source.experiment(this.#copies++);
    if (this.#copies % TOLD_EVERY === 0) this.#say(`restart: ${this.events.toLocaleString('en')} events on the log`);
    return records;
  }
}
