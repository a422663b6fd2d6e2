import type { BlobStore } from '@whale/blob-store';
import { originalRecord, type WireRecord } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import { describeError, EnvironmentError } from '@whale/kernel';
import type { Entry } from './entries.ts';

/**
 * The record as it was before it was parked. A large one lies in the blob store and, as long as the topic keeps it, at
 * its coordinates. Throws EnvironmentError when it is at neither.
 */
export async function originalOf(
  { letter, record }: Entry,
  open: { log: EventLog; blobs: BlobStore },
): Promise<WireRecord> {
  try {
    return await originalRecord(letter, record, (ref) => open.blobs.get(ref));
  } catch (error) {
    const { topic, partition, offset } = letter;
    for await (const { key, headers, value } of open.log.read({ topic, partition, from: offset, to: offset + 1 })) {
      return { topic, key, headers, value };
    }
    throw new EnvironmentError(
      `${letter.id} cannot be read: ${describeError(error).message}, and ${letter.coordinates} is no longer on the log. ` +
        'Bring the blob back and try again.',
      { cause: error },
    );
  }
}
