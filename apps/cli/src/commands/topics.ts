import type { Command } from 'commander';
import { EVENTS, TOPIC_NAMES, TOPICS } from '@whale/contracts';
import { table } from '../print/table.ts';
import { print, printJson, sessionOf } from '../session.ts';

export function topicsCommand(program: Command): void {
  program
    .command('topics')
    .description('lists the topics of the log, each with its one writer and its events')
    .addHelpText('after', '\nExample:\n  $ whale topics --json | jq ".[] | {topic, writer}"\n')
    .action((_options, command: Command) => {
      const topics = TOPIC_NAMES.map((topic) => {
        const { writer, key, partitions } = TOPICS[topic];
        const events = EVENTS.filter((event) => event.topic === topic).map(({ type, summary }) => ({ type, summary }));
        return { topic, writer, key, partitions, events };
      });
      if (sessionOf(command).json) return printJson(topics);
      const rows = topics.map(({ topic, writer, key, partitions, events }) => [
        topic,
        writer,
        key,
        String(partitions),
        events.map((event) => event.type).join('\n'),
      ]);
      print(table(['topic', 'written by', 'key', 'partitions', 'events'], rows, ['left', 'left', 'left', 'right']));
    });
}
