/** The services, and `console` for the edges (CLI, web page). Each topic has one writer (DESIGN §3). */
export const SERVICES = ['rollout', 'trainer-gateway', 'verifier', 'proposer', 'archive', 'scheduler'] as const;
export type ServiceName = (typeof SERVICES)[number];
export type Writer = ServiceName | 'console';

export interface Topic {
  readonly writer: Writer;
  readonly key: 'experimentId' | 'rolloutId';
  readonly partitions: number;
  /** How long its records are kept, ms; -1 for ever. All state can be rebuilt only from a log that is whole. */
  readonly retentionMs: number;
  /** Copies over brokers; -1 is what the brokers are set to, so that one broker does for a start. */
  readonly replicationFactor: number;
}

const FOR_EVER = -1;
const BROKERS_DEFAULT = -1;
const DAY_MS = 24 * 3_600_000;
/** Long enough to repair a service and try again what it could not handle. */
const DEAD_LETTER_RETENTION_MS = 30 * DAY_MS;

/** The log itself: all that the state follows from. */
const KEPT = { retentionMs: FOR_EVER, replicationFactor: BROKERS_DEFAULT };

export const TOPICS = {
  'whale.experiments.v1': { writer: 'console', key: 'experimentId', partitions: 3, ...KEPT },
  'whale.schedule.v1': { writer: 'scheduler', key: 'experimentId', partitions: 3, ...KEPT },
  'whale.rollout-requests.v1': { writer: 'scheduler', key: 'rolloutId', partitions: 12, ...KEPT },
  'whale.rollouts.v1': { writer: 'rollout', key: 'rolloutId', partitions: 12, ...KEPT },
  'whale.verdicts.v1': { writer: 'verifier', key: 'experimentId', partitions: 3, ...KEPT },
  'whale.weights.v1': { writer: 'trainer-gateway', key: 'experimentId', partitions: 3, ...KEPT },
  'whale.harnesses.v1': { writer: 'proposer', key: 'experimentId', partitions: 3, ...KEPT },
  'whale.archive.v1': { writer: 'archive', key: 'experimentId', partitions: 3, ...KEPT },
} as const satisfies Record<string, Topic>;

export type TopicName = keyof typeof TOPICS;

export const TOPIC_NAMES = Object.keys(TOPICS) as TopicName[];

/** Where a consumer parks what it cannot handle, with the original coordinates and the cause. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/** A topic as a log has to create it. */
export interface TopicLayout {
  name: string;
  partitions: number;
  retentionMs: number;
  replicationFactor: number;
}

/** Every topic with its dead letters, as a log needs them. */
export function topicDefinitions(): TopicLayout[] {
  return TOPIC_NAMES.flatMap((name) => {
    const { partitions, retentionMs, replicationFactor } = TOPICS[name];
    return [
      { name, partitions, retentionMs, replicationFactor },
      { name: deadLetterTopic(name), partitions: 1, retentionMs: DEAD_LETTER_RETENTION_MS, replicationFactor },
    ];
  });
}
