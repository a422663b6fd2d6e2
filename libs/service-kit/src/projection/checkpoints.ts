import type { Position, TopicPartition } from '@whale/event-log';
import type { EntityManager } from 'typeorm';
import { StoreError } from '../store/errors.ts';
import { driverErrorOf } from '../store/postgres-errors.ts';
import { createTable, integer, text, type ReadTable } from './read-table.ts';

const KEY = { consumer_group: text, topic: text, partition: integer };

/** How far each group of projections has come. Not part of the read models: no other table knows of the transport. */
export const CHECKPOINTS = {
  name: 'projection_checkpoints',
  key: KEY,
  columns: { next_offset: integer },
} as unknown as ReadTable;

export const checkpointMigration = createTable('CreateProjectionCheckpoints1759000000000', CHECKPOINTS.name, KEY, {
  next_offset: integer,
});

interface CheckpointRow {
  consumer_group: string;
  topic: string;
  partition: number;
  next_offset: number;
}

export async function readCheckpoints(manager: EntityManager, group: string): Promise<Position[]> {
  const rows = await manager.getRepository<CheckpointRow>(CHECKPOINTS.name).findBy({ consumer_group: group });
  return rows.map(({ topic, partition, next_offset }) => ({ topic, partition, offset: next_offset }));
}

/** Moves a checkpoint, only from where it is expected. Comes first in a transaction: it takes the write lock. */
export async function moveCheckpoint(
  manager: EntityManager,
  group: string,
  { topic, partition }: TopicPartition,
  from: number | undefined,
  to: number,
): Promise<void> {
  const repository = manager.getRepository<CheckpointRow>(CHECKPOINTS.name);
  const key = { consumer_group: group, topic, partition };
  const stale = (cause?: unknown) =>
    new StoreError(
      'STORE_STALE_CONSUMER',
      `the checkpoint of ${group} on ${topic}/${partition} is not ${from}: another process has gone on`,
      { retryable: true, cause },
    );
  if (from === undefined) {
    await repository.insert({ ...key, next_offset: to }).catch((error: unknown) => {
      throw isKnownKey(error) ? stale(error) : error;
    });
    return;
  }
  const { affected } = await repository.update({ ...key, next_offset: from }, { next_offset: to });
  if (affected !== 1) throw stale();
}

function isKnownKey(error: unknown): boolean {
  const { code } = (driverErrorOf(error) ?? {}) as { code?: string };
  return code === '23505' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

export async function replaceCheckpoints(
  manager: EntityManager,
  group: string,
  positions: readonly Position[],
): Promise<void> {
  const repository = manager.getRepository<CheckpointRow>(CHECKPOINTS.name);
  await repository.delete({ consumer_group: group });
  for (const { topic, partition, offset } of positions) {
    await repository.insert({ consumer_group: group, topic, partition, next_offset: offset });
  }
}
