import type { TopicPartition } from '@whale/event-log';
import { describeError } from '@whale/kernel';

/** What a subscription tells of itself, as one sentence for people. */
export function deliveryTrouble(error: unknown, { topic, partition }: TopicPartition): string {
  const { code, message } = describeError(error);
  return code === 'LOG_TRUNCATED' ? message : `${topic}/${partition}: ${message}; trying again`;
}
