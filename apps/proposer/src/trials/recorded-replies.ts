import type { EffectRecord, GenerateEffect } from '@whale/contracts';
import { canonicalHash } from '@whale/kernel';
import type { ArchiveEntry, WorkspaceSource } from '@whale/proposers';

/** Rollouts of the log by id; those that are not there are left out, in no order. */
export type Recordings = Pick<WorkspaceSource, 'rollouts'>;

/** What the model has said to exactly these messages, on one task. */
export type Replies = ReadonlyMap<string, EffectRecord['result']>;

export function promptKey({ messages }: Pick<GenerateEffect, 'messages'>): string {
  return canonicalHash(messages);
}

/**
 * Replies of the archive's rollouts of one task. Where several answer the same messages, the present θ goes before
 * earlier ones and newer entries before older.
 */
export async function recordedReplies(
  taskId: string,
  archive: readonly ArchiveEntry[],
  weightsVersion: string,
  recordings: Recordings,
  signal: AbortSignal,
): Promise<Replies> {
  const entries = [...archive].reverse();
  const present = entries.filter((entry) => entry.weightsVersion === weightsVersion);
  const earlier = entries.filter((entry) => entry.weightsVersion !== weightsVersion);
  const ids = [...present, ...earlier].flatMap(({ tasks }) =>
    tasks.filter((task) => task.taskId === taskId).map(({ rolloutId }) => rolloutId),
  );
  const records = new Map<string, readonly EffectRecord[]>();
  for await (const { rolloutId, effects } of recordings.rollouts(new Set(ids), signal)) records.set(rolloutId, effects);
  const replies = new Map<string, EffectRecord['result']>();
  for (const { effect, result } of ids.flatMap((id) => records.get(id) ?? [])) {
    if (effect.type !== 'generate') continue;
    const key = promptKey(effect);
    if (!replies.has(key)) replies.set(key, result);
  }
  return replies;
}
