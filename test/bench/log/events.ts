import type { AppendRecord } from '@whale/event-log';
import { readExperiment } from '../../histories/corpus.ts';

/** Characters of the values that the producer and the replay are measured with: events of one to three KB. */
const LARGEST_VALUE = 3_000;
const COPY = '\u0001';

interface Template extends AppendRecord {
  type: string;
}

/**
 * The records of a real experiment (`test/histories`), as often as they are wanted. A copy has ids of its own: the first
 * eight digits of each id are the copy's number, and so is the end of the experiment's name.
 */
export class EventSource {
  readonly #templates: readonly Template[];
  readonly #rollouts: readonly Template[];

  constructor() {
    this.#templates = readExperiment('tiny-v0.1')
      .filter(({ claim }) => claim === undefined)
      .map(({ topic, key, headers, value }) => ({
        topic,
        key: generic(key),
        headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, generic(text)])),
        value: generic(value),
        type: headers['ce_type'] ?? '',
      }));
    this.#rollouts = this.#templates.filter(
      ({ type, value }) => type === 'whale.rollout.completed.v1' && value.length <= LARGEST_VALUE,
    );
  }

  /** Records of one experiment. */
  get experimentSize(): number {
    return this.#templates.length;
  }

  experiment(copy: number): AppendRecord[] {
    return this.#templates.map((template) => instance(template, copy));
  }

  /** RolloutCompleted events from place `from` on: the same place always gives the same event. */
  rollouts(from: number, count: number): AppendRecord[] {
    const { length } = this.#rollouts;
    return Array.from({ length: count }, (_, i) =>
      instance(this.#rollouts[(from + i) % length] as Template, Math.floor((from + i) / length)),
    );
  }
}

function generic(text: string): string {
  return text.replace(/-[0-9a-f]{8}([0-9a-f]{16})\b/g, `-${COPY}$1`).replace(/\btiny-[0-9a-f]{8}\b/g, `tiny-${COPY}`);
}

function instance({ topic, key, headers, value }: Template, copy: number): AppendRecord {
  const id = copy.toString(16).padStart(8, '0');
  const fill = (text: string) => text.replaceAll(COPY, id);
  return {
    topic,
    key: fill(key),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fill(text)])),
    value: fill(value),
  };
}

/** Bytes of key, headers and value, on average. */
export function meanBytes(records: readonly AppendRecord[]): number {
  const bytes = (text: string) => Buffer.byteLength(text);
  const sum = records.reduce(
    (total, { key, headers, value }) =>
      total + bytes(key) + bytes(value) + Object.entries(headers).reduce((all, [k, v]) => all + bytes(k) + bytes(v), 0),
    0,
  );
  return Math.round(sum / records.length);
}
