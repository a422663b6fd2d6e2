import type { KafkaEventLog } from '@whale/event-log-kafka';
import type { BareKafka } from './bare.ts';
import type { EventSource } from './events.ts';

/** What each part of the bench is given. */
export interface Bench {
  /** `kafka://host:port` */
  url: string;
  /** Of topics and groups. */
  prefix: string;
  log: KafkaEventLog;
  bare: BareKafka;
  source: EventSource;
  /** Repetitions of each side, taken in turns. */
  repetitions: number;
  say: (line: string) => void;
}

/** A part's results as Markdown, under its heading. */
export interface Section {
  heading: string;
  text: string;
}

export const ROLLOUTS = 'whale.rollouts.v1';
