import { SqliteEventLog } from '../sqlite-event-log.ts';

/** What the process says: a number for each append that has returned, then what it wants to tell at the end. */
export type AppenderChildMessage =
  { type: 'appended'; batch: number } | { type: 'failed'; code: string; message: string };

const say = (message: AppenderChildMessage) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Appends batches as fast as it can: `appender-child.ts PATH TOPIC NAME BATCHES RECORDS BYTES [hang]`. */
async function main(): Promise<void> {
  const [path, topic, name, batches, size, bytes, hang] = process.argv.slice(2) as [
    string,
    string,
    string,
    ...string[],
  ];
  const log = await SqliteEventLog.open({ path });
  await log.ensureTopics([{ name: topic, partitions: 3 }]);
  const filler = 'x'.repeat(Number(bytes));
  for (let batch = 0; batch < Number(batches); batch++) {
    const records = Array.from({ length: Number(size) }, (_, index) => ({
      topic,
      key: `${name}/${index % 7}`,
      headers: { producer: name, batch: `${batch}`, index: `${index}` },
      value: filler,
    }));
    await log.append(records);
    say({ type: 'appended', batch });
  }
  // To be killed with its write-ahead log as it is.
  if (hang !== undefined) setInterval(() => {}, 1000);
  else await log.close();
}

main().catch((error: unknown) => {
  const { code, message } = error as { code: string; message: string };
  say({ type: 'failed', code, message });
});
