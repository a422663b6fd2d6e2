import { blobUri, type BlobStore } from '@whale/blob-store';
import type { CandidatesRequested, HarnessScored } from '@whale/contracts';
import type { ArchiveEntry } from '@whale/proposers';

export function scoredKey(experimentId: string, evaluationId: string): string {
  return `scored/${experimentId}/${evaluationId}`;
}

/**
 * Exactly the archive entries that the request names, in its order, with their sources; null when one of them is not
 * here yet. What else has been scored meanwhile is not looked at, so that the view is the same on every machine.
 * Throws WhaleError when a source is not in the blob store.
 */
export async function archiveView(
  { experimentId, archive }: CandidatesRequested['data'],
  documents: (keys: readonly string[]) => Promise<ReadonlyMap<string, unknown>>,
  blobs: BlobStore,
): Promise<ArchiveEntry[] | null> {
  const keys = archive.map(({ evaluationId }) => scoredKey(experimentId, evaluationId));
  const found = await documents(keys);
  const scored = keys.map((key) => found.get(key) as HarnessScored['data'] | undefined);
  if (scored.some((entry) => entry === undefined)) return null;
  const sources = new Map<string, string>();
  const entries: ArchiveEntry[] = [];
  for (const entry of scored as HarnessScored['data'][]) {
    const { harnessId, weightsVersion, cycle, iteration, index, score, measured, tasks } = entry;
    const source = sources.get(harnessId) ?? (await harnessSource(blobs, { id: harnessId }));
    sources.set(harnessId, source);
    entries.push({ harnessId, source, weightsVersion, cycle, iteration, index, score, measured, tasks });
  }
  return entries;
}

/** A harness's id is its content address; without a uri, that of the store's own scheme is used. */
export async function harnessSource(blobs: BlobStore, harness: { id: string; uri?: string }): Promise<string> {
  const { id, uri = blobUri(id) } = harness;
  return new TextDecoder().decode(await blobs.get({ uri, sha256: id }));
}
