import { SqliteEventLog } from '../sqlite-event-log.ts';

export type ReaderChildMessage =
  { type: 'read'; records: number } | { type: 'failed'; at: 'open' | 'append'; code: string; message: string };

const say = (message: ReaderChildMessage) => process.stdout.write(`${JSON.stringify(message)}\n`);

function failed(at: 'open' | 'append') {
  return (error: unknown): void => {
    const { code, message } = error as { code: string; message: string };
    say({ type: 'failed', at, code, message });
  };
}

/** Counts the records of a topic, then tries to append one: `reader-child.ts PATH TOPIC`. */
async function main(): Promise<void> {
  const [path, topic] = process.argv.slice(2) as [string, string];
  const log = await SqliteEventLog.open({ path, onlyReads: true });
  let records = 0;
  for (const { partition } of await log.heads([topic])) {
    for await (const _ of log.read({ topic, partition, from: 0 })) records++;
  }
  say({ type: 'read', records });
  await log.append([{ topic, key: 'k', headers: {}, value: 'v' }]).catch(failed('append'));
  await log.close();
}

main().catch(failed('open'));
