import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventLogContract } from '@whale/event-log-testing';
import { SqliteEventLog } from './sqlite-event-log.ts';

eventLogContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'whale-log-'));
  const path = join(folder, 'log.db');
  return {
    open: (options) => SqliteEventLog.open({ path, ...options }),
    child: { module: new URL('./testing/open-log.ts', import.meta.url), argument: JSON.stringify({ path }) },
    settleMs: 20_000,
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});
