import { existsSync } from 'node:fs';
import type { ServiceName } from '@whale/contracts';
import { canonicalHash } from '@whale/kernel';

const SERVICES_WITH_STATE: readonly ServiceName[] = ['archive', 'scheduler'];

/**
 * sha256 of the canonical JSON of the archive's and the scheduler's state of an experiment (patience and results are
 * part of it); null where a state is not there. It holds no times, offsets or anything of the transport.
 */
export async function stateHash(data: string, experimentId: string): Promise<string | null> {
  // Nest comes along with the service kit, so only who wants the hash pays for it.
  const { dataFolder } = await import('@whale/service-host');
  const { SqliteServiceStore, stateKey } = await import('@whale/service-kit');
  const folder = dataFolder(data);
  const key = stateKey(experimentId);
  const states: Record<string, unknown> = {};
  for (const service of SERVICES_WITH_STATE) {
    const path = folder.store(service);
    if (!existsSync(path)) return null;
    const store = new SqliteServiceStore(path);
    try {
      states[service] = (await store.documents([key])).get(key);
    } finally {
      await store.close();
    }
    if (states[service] === undefined) return null;
  }
  return canonicalHash(states);
}
