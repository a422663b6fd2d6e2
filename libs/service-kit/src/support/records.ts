import { encodeEvent, type AnyEvent, type DomainEvent, type WireRecord } from '@whale/contracts';
import type { EventLog, LogRecord } from '@whale/event-log';

/** An event as another service would have put it on the log. */
export function recordOf(event: AnyEvent): WireRecord {
  const { experimentId } = event.data;
  return encodeEvent(event as DomainEvent, { source: 'test', time: 0, correlationId: experimentId });
}

/** All records of a topic, partition after partition. */
export async function recordsOn(log: EventLog, topic: string): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (const { partition } of await log.heads([topic])) {
    for await (const record of log.read({ topic, partition, from: 0 })) records.push(record);
  }
  return records;
}
