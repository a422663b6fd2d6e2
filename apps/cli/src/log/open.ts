import type { BlobStore } from '@whale/blob-store';
import type { EventLog } from '@whale/event-log';
import { openBlobs } from '@whale/service-host/blobs';
import type { PlatformLocation } from '@whale/service-host/location';
// Not by way of the package itself: looking at data needs no services.
import { openExistingLog } from '@whale/service-host/log';

export interface OpenData {
  log: EventLog;
  blobs: BlobStore;
  close(): Promise<void>;
}

/** Opens existing data for reading; null when there are none, so that looking makes no folder. Throws LogError. */
export async function openData(location: PlatformLocation): Promise<OpenData | null> {
  const log = await openExistingLog(location, process.env);
  return log && { log, blobs: openBlobs(location), close: () => log.close() };
}

/** Runs `work` on existing data and closes them after it. */
export async function withData<T>(location: PlatformLocation, work: (open: OpenData | null) => Promise<T>): Promise<T> {
  const open = await openData(location);
  try {
    return await work(open);
  } finally {
    await open?.close();
  }
}
