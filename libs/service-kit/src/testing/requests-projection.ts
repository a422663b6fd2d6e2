import { ExperimentCancelRequested, ProposalFailed } from '@whale/contracts';
import type { RecordBatch } from '@whale/event-log';
import { projection, type Projection } from '../projection/projection.ts';
import { Projector } from '../projection/projector.ts';
import type { ReadModels } from '../projection/read-models.ts';
import { createTable, integer, json, readTable, text } from '../projection/read-table.ts';
import { REQUEST_TOPIC, request } from '../support/echo-service.ts';
import { recordOf } from '../support/records.ts';

const KEY = { experiment_id: text };
const COLUMNS = { reason: text, answer: json, attempt: integer };

/** A table that two topics fill. */
export const requests: Projection = projection({
  table: readTable({ name: 'requests', key: KEY, columns: COLUMNS }),
  migrations: [createTable('CreateRequests1759000000001', 'requests', KEY, COLUMNS)],
  consumes: [ExperimentCancelRequested, ProposalFailed],
  project: (event) => {
    const key = { experiment_id: event.data.experimentId };
    if (event.type === 'whale.experiment.cancel-requested.v1') return [{ key, set: { reason: event.data.reason } }];
    return [{ key, set: { answer: event.data.error, attempt: event.data.attempt } }];
  },
});

/** A projector of `requests` that is handed its batches. */
export function handFedProjector(
  readModels: ReadModels,
  troubles: string[] = [],
  projections: readonly Projection[] = [requests],
): Projector {
  const unused = undefined as never;
  const onTrouble = (message: string) => void troubles.push(message);
  return new Projector({ service: 'proposer', projections, readModels, log: unused, blobs: unused, onTrouble });
}

/** One request an experiment, as the first partition of the topic holds them from `from` on. */
export function batchOf(
  ids: readonly string[],
  { from = 0, reason }: { from?: number; reason?: string } = {},
): RecordBatch {
  const records = ids.map((id, i) => ({
    ...recordOf(request(id, reason ?? id)),
    partition: 0,
    offset: from + i,
    timestamp: 0,
  }));
  return { topic: REQUEST_TOPIC, partition: 0, records, nextOffset: from + ids.length };
}
