import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { systemClock } from '@whale/kernel';
import { onTestFinished } from 'vitest';
import type { Platform } from '../service.ts';
import { ServiceTelemetry } from '../telemetry/service-telemetry.ts';
import { SqliteServiceStore } from '../store/sqlite-store.ts';

export { recordOf, recordsOn } from './records.ts';

export interface TemporaryPlatform extends Platform {
  log: SqliteEventLog;
  folder: string;
  /** What the operator was told. */
  troubles: string[];
}

/** Goes nowhere unless the test has turned telemetry on. */
export function telemetryFor(service: string): ServiceTelemetry {
  return new ServiceTelemetry({ service, clock: systemClock });
}

/** Log, blobs and stores in a folder of their own that goes away with the test. */
export async function temporaryPlatform(): Promise<TemporaryPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'whale-kit-'));
  const log = await SqliteEventLog.open({ path: join(folder, 'log.sqlite') });
  onTestFinished(async () => {
    await log.close();
    await rm(folder, { recursive: true, force: true });
  });
  const troubles: string[] = [];
  return {
    folder,
    log,
    troubles,
    logName: 'a log of a test',
    blobs: new FolderBlobStore(join(folder, 'blobs')),
    clock: systemClock,
    store: (service) => new SqliteServiceStore(join(folder, `${service}.sqlite`)),
    onTrouble: (service, message) => void troubles.push(`${service}: ${message}`),
  };
}
