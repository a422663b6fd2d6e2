import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@whale/event-log';
import { canonicalHash } from '@whale/kernel';
import type { OpenState } from '@whale/service-host';
import { liveState, restore, type LiveState } from './live-state.ts';
import { headsOf, loggedEvents, type LoggedEvent, type Readable } from './logged-events.ts';
import { ReadModelRebuild, stillRunning } from './rebuild-read-models.ts';
import { rebuildService } from './rebuild-service.ts';
import { REBUILDABLE } from './rebuildable.ts';
import type { RebuildReport } from './report.ts';

const TRIES = 5;
const PAUSE_MS = 200;

/**
 * Rebuilds an experiment's state and read models from the log alone. Invariants, each named by a test:
 * B1 Every decision on the log is made again by the deciders, and no other.
 * B2 What is live is compared at its own checkpoints, by canonical hash; where it differs nothing is touched.
 * B3 What is missing is put back with its checkpoints, so that the services go on from there.
 */
export async function rebuild(state: OpenState, data: Readable, experimentId: string): Promise<RebuildReport> {
  const tables = await ReadModelRebuild.open(state.readModels);
  try {
    const { heads, live, logged } = await settled(state, data, experimentId, tables.deleted);
    const services = REBUILDABLE.map((service, i) => ({
      service,
      ...rebuildService(service, live[i] as LiveState, logged, heads, experimentId),
    }));
    const parts = [...services.flatMap((one) => one.parts), await tables.compare(logged, heads, experimentId)];
    const disagreements = services.flatMap((one) => one.disagreements);
    const equal = disagreements.length === 0 && parts.every((part) => part.equal || part.restored);
    if (equal) {
      for (const { service, restored } of services) {
        if (restored) await restore(state.store(service.name), service, restored, data.blobs);
      }
      await tables.swap(logged, heads, experimentId);
    }
    const remade = services.reduce((sum, one) => sum + one.decided, 0);
    return { experimentId, equal, decisions: { remade, disagreements }, parts };
  } finally {
    await tables.close();
  }
}

interface Settled {
  heads: readonly Position[];
  live: readonly LiveState[];
  logged: readonly LoggedEvent[];
}

/** Log and live states of one moment: nothing has moved while they were read. */
async function settled(state: OpenState, data: Readable, experimentId: string, everything: boolean): Promise<Settled> {
  for (let attempt = 1; ; attempt++) {
    const heads = await headsOf(data.log);
    const look = () =>
      Promise.all(REBUILDABLE.map(({ name }) => liveState(state.store(name), heads, experimentId, data.blobs)));
    const live = await look();
    const all = everything || live.some(({ deleted }) => deleted);
    const logged = await loggedEvents(data, heads, all ? undefined : experimentId);
    const moved =
      canonicalHash([heads, live.map(({ checkpoints }) => checkpoints)]) !==
      canonicalHash([await headsOf(data.log), (await look()).map(({ checkpoints }) => checkpoints)]);
    if (!moved) return { heads, live, logged };
    if (attempt === TRIES) throw stillRunning();
    await sleep(PAUSE_MS);
  }
}
