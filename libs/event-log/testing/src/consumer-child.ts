import type { EventLog } from '@whale/event-log';

/** What the process says, a line each. */
export type ConsumerChildMessage =
  | { type: 'assigned'; partitions: number[] }
  | { type: 'batch'; partition: number; offsets: number[]; at: number }
  | { type: 'revoked'; partition: number }
  | { type: 'error'; message: string };

const say = (message: ConsumerChildMessage) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** A member of a group until it is killed: `consumer-child.ts MODULE ARGUMENT GROUP TOPIC`. */
async function main(): Promise<void> {
  const [module, argument, group, topic] = process.argv.slice(2) as [string, string, string, string];
  const { openLog } = (await import(module)) as { openLog: (argument: string) => Promise<EventLog> };
  const log = await openLog(argument);
  const subscription = await log.subscribe({
    group,
    topics: [topic],
    checkpoint: () => undefined,
    onBatch: async ({ partition, records }) => {
      say({ type: 'batch', partition, offsets: records.map((record) => record.offset), at: Date.now() });
    },
    onRevoked: ({ partition }) => void say({ type: 'revoked', partition }),
    onError: (error) => void say({ type: 'error', message: String(error) }),
  });
  let told = '';
  setInterval(() => {
    const partitions = subscription.assigned().map(({ partition }) => partition);
    if (String(partitions) !== told) say({ type: 'assigned', partitions });
    told = String(partitions);
  }, 20);
}

await main();
