import { EVENTS, TOPIC_NAMES, TOPICS } from '@whale/contracts';
import { table } from '../print/table.ts';

/** One topic of the platform, for programs. */
export interface ListedTopic {
  topic: string;
  writer: string;
  key: string;
  partitions: number;
  events: { type: string; summary: string }[];
}

export function listedTopics(): ListedTopic[] {
  return TOPIC_NAMES.map((topic) => {
    const { writer, key, partitions } = TOPICS[topic];
    const events = EVENTS.filter((event) => event.topic === topic).map(({ type, summary }) => ({ type, summary }));
    return { topic, writer, key, partitions, events };
  });
}

export function listingText(topics: readonly ListedTopic[]): string {
  const rows = topics.map(({ topic, writer, key, partitions, events }) => [
    topic,
    writer,
    key,
    String(partitions),
    events.map((event) => event.type).join('\n'),
  ]);
  return table(['topic', 'written by', 'key', 'partitions', 'events'], rows, ['left', 'left', 'left', 'right']);
}
