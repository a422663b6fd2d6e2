/** The services, and `console` for the edges (CLI, web page). Each topic has one writer (DESIGN §3). */
export const SERVICES = ['rollout', 'trainer-gateway', 'verifier', 'proposer', 'archive', 'scheduler'] as const;
export type ServiceName = (typeof SERVICES)[number];
export type Writer = ServiceName | 'console';

export interface Topic {
  readonly writer: Writer;
  readonly key: 'experimentId' | 'rolloutId';
  readonly partitions: number;
}

export const TOPICS = {
  'whale.experiments.v1': { writer: 'console', key: 'experimentId', partitions: 3 },
  'whale.schedule.v1': { writer: 'scheduler', key: 'experimentId', partitions: 3 },
  'whale.rollout-requests.v1': { writer: 'scheduler', key: 'rolloutId', partitions: 12 },
  'whale.rollouts.v1': { writer: 'rollout', key: 'rolloutId', partitions: 12 },
  'whale.verdicts.v1': { writer: 'verifier', key: 'experimentId', partitions: 3 },
  'whale.weights.v1': { writer: 'trainer-gateway', key: 'experimentId', partitions: 3 },
  'whale.harnesses.v1': { writer: 'proposer', key: 'experimentId', partitions: 3 },
  'whale.archive.v1': { writer: 'archive', key: 'experimentId', partitions: 3 },
} as const satisfies Record<string, Topic>;

export type TopicName = keyof typeof TOPICS;

export const TOPIC_NAMES = Object.keys(TOPICS) as TopicName[];

/** Where a consumer parks what it cannot handle, with the original coordinates and the cause. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/** Every topic with its dead letters, as a log needs them. */
export function topicDefinitions(): { name: string; partitions: number }[] {
  return TOPIC_NAMES.flatMap((name) => [
    { name, partitions: TOPICS[name].partitions },
    { name: deadLetterTopic(name), partitions: 1 },
  ]);
}
