import { LogError, type TopicDefinition } from './event-log.ts';

/** What Kafka allows as a topic name. */
const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;
const MOST_PARTITIONS = 10_000;

/** Throws `LOG_TOPIC_INVALID` for what no log can create. */
export function checkTopicDefinition({ name, partitions }: TopicDefinition): void {
  if (!TOPIC_NAME.test(name)) {
    throw new LogError('LOG_TOPIC_INVALID', `topic name ${JSON.stringify(name)} must be 1 to 249 of a-z A-Z 0-9 . _ -`);
  }
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > MOST_PARTITIONS) {
    throw new LogError(
      'LOG_TOPIC_INVALID',
      `topic ${name}: partitions must be 1 to ${MOST_PARTITIONS}, not ${partitions}`,
    );
  }
}
