import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { poisonContract, QUICK_BACK_OFF } from './poison-contract.ts';

poisonContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'whale-poison-log-'));
  const log = await SqliteEventLog.open({ path: join(folder, 'log.sqlite'), backOff: QUICK_BACK_OFF });
  const dispose = async () => {
    await log.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { log, dispose };
});
