import { withData } from './log/open.ts';

/** The experiment's state hash, from the log alone; null where there is no such experiment. */
export async function stateHash(data: string, experimentId: string): Promise<string | null> {
  // The deciders come with their services, so only who wants the hash pays for them.
  const { experimentStateHash } = await import('./replay/state-hash.ts');
  return withData(data, async (open) => open && experimentStateHash(open.log, open.blobs, experimentId));
}
