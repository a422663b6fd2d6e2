import type { FetchedMessage, FetchedPartition } from './kafkajs-internals.ts';

/** Key of the control record that ends a transaction: INT16 version, INT16 type; 0 is an abort (Kafka protocol, Control Batches). */
const ABORT_KEY = Buffer.from([0, 0, 0, 0]);

/** Without control records and what a transaction wrote that was aborted: a broker sends these too, and names the aborted ones. */
export function committed({ messages, abortedTransactions }: FetchedPartition): FetchedMessage[] {
  const begun = new Map<string, number[]>();
  for (const { producerId, firstOffset } of abortedTransactions ?? []) {
    begun.set(
      producerId,
      [...(begun.get(producerId) ?? []), Number(firstOffset)].sort((a, b) => a - b),
    );
  }
  return messages.filter((message) => {
    const { producerId, inTransaction } = message.batchContext;
    const open = begun.get(producerId) ?? [];
    const isAborted = open[0] !== undefined && open[0] <= Number(message.offset);
    if (message.isControlRecord) {
      if (isAborted && message.key?.equals(ABORT_KEY)) open.shift();
      return false;
    }
    return !(isAborted && inTransaction);
  });
}
