import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs, DEFAULT_BACK_OFF, LogError, type EventLog, type LogRecord } from '@whale/event-log';
import { EnvironmentError, isRetryable } from '@whale/kernel';
import { StoreError } from '../store/errors.ts';
import type { Mark, ServiceStore } from '../store/service-store.ts';

/** A store that fails at the start is waited for so long. */
const PATIENCE_MS = 15_000;

const REMEDY =
  'One database serves one log. Name another one with --database or WHALE_DATABASE, or, where the log was replaced, ' +
  'drop the whale_… schemas (delete the files of services): what they hold is rebuilt from the log.';

/** What the record is known by: its own content, which also holds when and by whom it was written. */
export function markOf({ topic, partition, offset, key, headers, value }: LogRecord): Mark {
  const attributes = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256')
    .update(JSON.stringify([key, attributes, value]))
    .digest('hex');
  return { topic, partition, offset, hash: hash.slice(0, 32) };
}

/**
 * Refuses a log that the store does not follow: one of another name, or one that has other records where the store has
 * handled some. A store that follows none yet takes this one. Throws EnvironmentError.
 */
export async function checkLog(
  log: EventLog,
  name: string,
  store: ServiceStore,
  topics: readonly string[],
): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let failures = 0; ; failures++) {
    try {
      const followed = await store.follow(name);
      if (followed !== name) throw new EnvironmentError(`${store.place} follows ${followed}, not ${name}. ${REMEDY}`);
      await checkMarks(
        log,
        store,
        (await store.marks()).filter(({ topic }) => topics.includes(topic)),
      );
      return;
    } catch (error) {
      // A partition without a leader keeps nobody from starting: it is looked at again before its first batch.
      if (error instanceof LogError && error.retryable) return;
      if (!(error instanceof StoreError && isRetryable(error)) || performance.now() > until) throw error;
      await sleep(backOffMs(failures, DEFAULT_BACK_OFF));
    }
  }
}

/** Throws EnvironmentError where the log has another record, or ends before. What was deleted cannot be compared. */
export async function checkMarks(log: EventLog, store: ServiceStore, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return;
  const heads = await log.heads([...new Set(marks.map(({ topic }) => topic))]);
  await Promise.all(
    marks.map(async (mark) => {
      const { topic, partition, offset } = mark;
      const head = heads.find((at) => at.topic === topic && at.partition === partition)?.offset ?? 0;
      const refused = (why: string) =>
        new EnvironmentError(
          `${store.place} follows another log than this one: it has handled ${topic}/${partition}@${offset}, ` +
            `and this log ${why}. ${REMEDY}`,
        );
      if (offset >= head) throw refused(`ends at ${head}`);
      for await (const record of log.read({ topic, partition, from: offset, to: offset + 1 })) {
        if (record.offset === offset && markOf(record).hash !== mark.hash) throw refused('has another record there');
      }
    }),
  );
}
