import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@whale/blob-store';
import { decodeRecord, eventDefinition, latestType, type AnyEvent } from '@whale/contracts';
import type { EventLog, Position, RecordBatch, Subscription } from '@whale/event-log';
import { describeError } from '@whale/kernel';
import { deliveryTrouble } from '../transport/delivery-trouble.ts';
import { applyEvents } from './apply.ts';
import { moveCheckpoint, readCheckpoints } from './checkpoints.ts';
import type { Projection } from './projection.ts';
import type { ReadModels } from './read-models.ts';

export interface ProjectorOptions {
  service: string;
  projections: readonly Projection[];
  log: EventLog;
  blobs: BlobStore;
  readModels: ReadModels;
  onTrouble: (message: string) => void;
}

const MOST_MS_TO_CATCH_UP = 2_000;

/** The consumer group of a service's projections: it goes its own pace and is rebuilt on its own. */
export function projectionGroup(service: string): string {
  return `${service}.projections`;
}

/**
 * Fills a service's read models from the log. Invariants, each named by a test:
 * R1 Rows and checkpoint change in one transaction: a batch that comes again, or is cut off, changes nothing.
 * R2 A record that cannot be read (no event of the topic, or newer than this release) is passed over with a line: the
 *    service itself parks it.
 */
export class Projector {
  readonly #options: ProjectorOptions;
  readonly #group: string;
  readonly #types: ReadonlySet<string>;
  #subscription: Subscription | null = null;

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#group = projectionGroup(options.service);
    this.#types = new Set(options.projections.flatMap(({ consumes }) => consumes.map(({ type }) => type)));
  }

  /** Null before it is started and once it is stopped. */
  get subscription(): Subscription | null {
    return this.#subscription;
  }

  async start(): Promise<void> {
    const { projections, log, readModels, onTrouble } = this.#options;
    await readModels.register(projections);
    this.#subscription = await log.subscribe({
      group: this.#group,
      topics: this.#topics(),
      checkpoint: ({ topic, partition }) => this.#checkpoint(topic, partition),
      onBatch: (batch) => this.handle(batch),
      onError: (error, at) => onTrouble(`projections, ${deliveryTrouble(error, at)}`),
    });
  }

  /** Takes in what is on the log already, so that the tables of a run that is over are whole; not for ever, though. */
  async stop(): Promise<void> {
    const { log, onTrouble } = this.#options;
    const end = performance.now() + MOST_MS_TO_CATCH_UP;
    try {
      const heads = this.#subscription ? await log.heads(this.#topics()) : [];
      while ((await this.#isBehind(heads)) && performance.now() < end) await sleep(10);
    } catch (error) {
      onTrouble(`projections stop early: ${describeError(error).message}`);
    }
    await this.#subscription?.stop();
    this.#subscription = null;
  }

  async handle(batch: RecordBatch): Promise<void> {
    const { projections, readModels } = this.#options;
    const from = await this.#checkpoint(batch.topic, batch.partition);
    if (batch.nextOffset <= (from ?? 0)) return;
    const events = await this.#eventsOf(batch, from ?? 0);
    await readModels.transaction(async (manager) => {
      await moveCheckpoint(manager, this.#group, batch, from, batch.nextOffset);
      await applyEvents(manager, projections, events);
    });
  }

  async #eventsOf(batch: RecordBatch, from: number): Promise<AnyEvent[]> {
    const { blobs, onTrouble } = this.#options;
    const events: AnyEvent[] = [];
    for (const record of batch.records) {
      const type = latestType(record.headers['ce_type'] ?? '');
      if (record.offset < from) continue;
      if (!this.#types.has(type) && eventDefinition(type)?.topic === record.topic) continue;
      try {
        events.push((await decodeRecord(record, (ref) => blobs.get(ref))).event);
      } catch (error) {
        onTrouble(
          `projections pass over ${batch.topic}/${batch.partition}@${record.offset}: ${describeError(error).message}`,
        );
      }
    }
    return events;
  }

  #topics(): string[] {
    return [...new Set(this.#options.projections.flatMap(({ consumes }) => consumes.map(({ topic }) => topic)))];
  }

  async #isBehind(heads: readonly Position[]): Promise<boolean> {
    for (const { topic, partition } of this.#subscription?.assigned() ?? []) {
      const head = heads.find((position) => position.topic === topic && position.partition === partition);
      if ((head?.offset ?? 0) > ((await this.#checkpoint(topic, partition)) ?? 0)) return true;
    }
    return false;
  }

  #checkpoint(topic: string, partition: number): Promise<number | undefined> {
    return this.#options.readModels.transaction(async (manager) => {
      const positions = await readCheckpoints(manager, this.#group);
      return positions.find((at) => at.topic === topic && at.partition === partition)?.offset;
    });
  }
}
