import type { BlobStore } from '@whale/blob-store';
import { ContractError, decodeRecord, latestType, RolloutCompleted } from '@whale/contracts';
import type { EventLog, LogRecord } from '@whale/event-log';

const TOPIC = 'whale.rollouts.v1';
/** Records that are read over rather than ending a range and beginning another. */
const GAP = 256;

/** The rollouts of a partition that may be of a search, as far as it has been read. */
interface Indexed {
  next: number;
  offsets: Map<string, number>;
}

/**
 * Trajectories by rollout id, one at a time in memory. Each record of the log is read once to learn where the rollouts
 * of searches lie; after that only these are read.
 */
export class Rollouts {
  readonly #log: Pick<EventLog, 'read' | 'heads'>;
  readonly #blobs: Pick<BlobStore, 'get'>;
  readonly #experimentId: string;
  readonly #partitions = new Map<number, Indexed>();

  constructor(log: Pick<EventLog, 'read' | 'heads'>, blobs: Pick<BlobStore, 'get'>, experimentId: string) {
    this.#log = log;
    this.#blobs = blobs;
    this.#experimentId = experimentId;
  }

  /** The wanted ones that are on the log, each once, in no order. */
  async *read(wanted: ReadonlySet<string>, signal?: AbortSignal): AsyncGenerator<RolloutCompleted['data']> {
    for (const { partition, offset: head } of await this.#log.heads([TOPIC])) {
      const indexed = this.#indexOf(partition);
      for (const [from, to] of ranges(indexed, wanted)) {
        for await (const record of this.#log.read({ topic: TOPIC, partition, from, to })) {
          const id = record.headers['ce_subject'] ?? '';
          if (wanted.has(id) && indexed.offsets.get(id) === record.offset) yield* this.#decoded(record);
        }
      }
      for await (const record of this.#log.read({ topic: TOPIC, partition, from: indexed.next, to: head })) {
        signal?.throwIfAborted();
        const id = this.#subjectOf(record);
        if (id !== null && !indexed.offsets.has(id)) {
          indexed.offsets.set(id, record.offset);
          if (wanted.has(id)) yield* this.#decoded(record);
        }
        indexed.next = record.offset + 1;
      }
    }
  }

  #indexOf(partition: number): Indexed {
    const indexed = this.#partitions.get(partition) ?? { next: 0, offsets: new Map() };
    this.#partitions.set(partition, indexed);
    return indexed;
  }

  /** Null for what can be no trajectory of a search of this experiment. */
  #subjectOf({ headers, value }: LogRecord): string | null {
    if (headers['ce_correlationid'] !== this.#experimentId) return null;
    if (latestType(headers['ce_type'] ?? '') !== RolloutCompleted.type) return null;
    // The purpose of a rollout stands in its value: `"harness"` as a JSON text occurs in others seldom.
    const mayBe = headers['ce_dataref'] !== undefined || value.includes('"harness"');
    return mayBe ? (headers['ce_subject'] ?? null) : null;
  }

  async *#decoded(record: LogRecord): AsyncGenerator<RolloutCompleted['data']> {
    try {
      const { event } = await decodeRecord(record, (ref) => this.#blobs.get(ref));
      if (event.type === RolloutCompleted.type) yield event.data;
    } catch (error) {
      // What can be no event is passed over, as every reader does.
      if (!(error instanceof ContractError)) throw error;
    }
  }
}

/** Stretches of a partition that hold all wanted records of the index, in order. */
function ranges({ offsets }: Indexed, wanted: ReadonlySet<string>): [number, number][] {
  const places = [...wanted].flatMap((id) => offsets.get(id) ?? []).sort((a, b) => a - b);
  const found: [number, number][] = [];
  for (const place of places) {
    const last = found.at(-1);
    if (last && place - last[1] < GAP) last[1] = place + 1;
    else found.push([place, place + 1]);
  }
  return found;
}
