import type { BlobStore } from '@whale/blob-store';
import {
  ContractError,
  coordinatesOf,
  decodeRecord,
  eventDefinition,
  latestType,
  type EventDefinition,
  type EventEnvelope,
  parkedRecord,
  problemOfName,
} from '@whale/contracts';
import type { EventLog, LogRecord, RecordBatch, TopicPartition } from '@whale/event-log';
import { describeError, isRetryable, turn } from '@whale/kernel';
import { fieldsOf, outgoingTraceparent, tellOutcome } from '@whale/telemetry';
import { StoreError } from '../store/errors.ts';
import type { Mark, ServiceStore } from '../store/service-store.ts';
import type { ServiceTelemetry, Tell } from '../telemetry/service-telemetry.ts';
import type { Emitter } from './emitter.ts';
import type { Delivery, Reaction } from './on-event.ts';
import { checkMarks, markOf } from './log-check.ts';
import { OpenUnit } from './open-unit.ts';

export type InvokeHandler = (envelope: EventEnvelope, delivery: Delivery) => Promise<Reaction | undefined | void>;

/** Records that are handled in one turn of the event loop: some milliseconds' worth. */
const RECORDS_A_TURN = 4;
/** Deliveries of one record before a retryable failure is parked all the same. */
const MOST_DELIVERIES = 8;
/** Characters of a type or a cause that a line for the operator repeats: a stranger may have written them. */
const MOST_TOLD = 500;

export interface BatchReactorOptions {
  service: string;
  consumes: readonly EventDefinition[];
  log: EventLog;
  store: ServiceStore;
  blobs: BlobStore;
  emitter: Emitter;
  invoke: InvokeHandler;
  telemetry: ServiceTelemetry;
  onTrouble: Tell;
}

/**
 * Handles one batch in one transaction. Invariants, each named by a test:
 * T1 An event takes effect once: known ids are skipped, effects and checkpoint commit together.
 * T2 What cannot be handled is parked in `<topic>.dlq` with its coordinates and cause, and the partition goes on.
 * T3 A retryable failure commits what came before it and has the rest delivered again.
 * T4 What fails because of a store is never parked, whether the error says that trying again helps or not: it waits for
 *    the store. Effects that no store can hold are the one exception (T2).
 * T5 A partition that this process has not left itself where it stands is gone on with only where the log has the record
 *    that was handled last: another process may be at work on another log.
 */
export class BatchReactor {
  readonly #options: BatchReactorOptions;
  readonly #consumed: ReadonlySet<string>;
  readonly #deliveries = new Map<string, number>();
  /** Where this process left each partition. */
  readonly #left = new Map<string, number>();

  constructor(options: BatchReactorOptions) {
    this.#options = options;
    this.#consumed = new Set(options.consumes.map((definition) => definition.type));
  }

  async handle(batch: RecordBatch): Promise<{ work: number }> {
    try {
      return await this.#handle(batch);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      return this.#oneByOne(batch);
    }
  }

  /** The effects of one record cannot be stored, whichever it is: each gets a transaction of its own. */
  async #oneByOne(batch: RecordBatch): Promise<{ work: number }> {
    let work = 0;
    for (const record of batch.records) {
      const alone = { ...batch, records: [record], nextOffset: record.offset + 1 };
      try {
        work += (await this.#handle(alone)).work;
      } catch (error) {
        if (!isUnstorable(error)) throw error;
        await this.#handle(alone, error);
      }
    }
    return { work };
  }

  /** With `refused`, what is new in the batch is not handled again but parked for that cause. */
  async #handle(batch: RecordBatch, refused?: unknown): Promise<{ work: number }> {
    const { store } = this.#options;
    const from = await store.checkpoint(batch);
    await this.#checkMoved(batch, from);
    const unit = new OpenUnit(store);
    let next = from ?? 0;
    let failure: unknown;
    let handled = 0;
    const records = batch.records.filter((record) => record.offset >= (from ?? 0));
    const concerning = new Set(records.filter((record) => this.#concerns(record)));
    await unit.lookUp([...concerning].flatMap(orderlyId));

    for (const record of records) {
      if (handled++ % RECORDS_A_TURN === 0) await turn();
      if (concerning.has(record)) failure = await this.#take(record, unit, refused);
      if (failure !== undefined) break;
      next = record.offset + 1;
    }
    if (failure === undefined) next = Math.max(next, batch.nextOffset);
    if (next !== (from ?? 0)) {
      await turn();
      await store.commit({
        ...unit.contents(),
        checkpoint: {
          from,
          to: { topic: batch.topic, partition: batch.partition, offset: next },
          mark: lastMark(records, next),
        },
      });
      this.#left.set(placeOf(batch), next);
      this.#options.telemetry.handled(unit.handled, unit.written);
    }
    if (failure !== undefined) throw failure;
    return { work: unit.workCount };
  }

  async #checkMoved(batch: TopicPartition, from: number | undefined): Promise<void> {
    const { log, store } = this.#options;
    if (from === undefined || from === this.#left.get(placeOf(batch))) return;
    await checkMarks(
      log,
      store,
      (await store.marks()).filter((mark) => placeOf(mark) === placeOf(batch)),
    );
    this.#left.set(placeOf(batch), from);
  }

  /**
   * Events of the topic that this service does not consume are none of its business; what does not belong there is, and is
   * parked.
   */
  #concerns(record: LogRecord): boolean {
    const type = latestType(record.headers['ce_type'] ?? '');
    return this.#consumed.has(type) || eventDefinition(type)?.topic !== record.topic;
  }

  /** Gives the failure that the partition waits for; undefined when it goes on. */
  #take(record: LogRecord, unit: OpenUnit, refused: unknown): Promise<unknown> {
    const { service, telemetry } = this.#options;
    return telemetry.tracing.handling(record, service, async () => {
      const startedAt = performance.now();
      const took = (code?: string) =>
        telemetry.metrics.handlingTook(record.topic, service, (performance.now() - startedAt) / 1000, code);
      try {
        if (refused !== undefined) throw refused;
        await this.#react(record, unit);
        took();
        return undefined;
      } catch (error) {
        const { code } = describeError(error);
        took(code);
        const waits = this.#mayRetry(record, error);
        tellOutcome(waits ? 'retried' : 'parked', code);
        return waits ? error : await this.#park(record, error, unit);
      }
    });
  }

  async #react(record: LogRecord, unit: OpenUnit): Promise<void> {
    const envelope = await decodeRecord(record, (ref) => this.#options.blobs.get(ref));
    const told = { eventType: envelope.event.type, fields: fieldsOf(record) };
    if (await unit.knows(envelope.id)) {
      unit.tell({ ...told, outcome: 'duplicate' });
      tellOutcome('duplicate');
      return;
    }
    const reaction =
      (await this.#options.invoke(envelope, {
        topic: record.topic,
        partition: record.partition,
        offset: record.offset,
        document: (key) => unit.document(key),
      })) ?? {};
    const traceparent = outgoingTraceparent(envelope.traceparent);
    const outbox = await this.#options.emitter.encode(reaction.events ?? [], { causationId: envelope.id, traceparent });
    unit.add(envelope.id, reaction, outbox, traceparent);
    unit.tell({ ...told, outcome: 'handled', writtenAt: envelope.time });
  }

  #mayRetry(record: LogRecord, error: unknown): boolean {
    if (error instanceof StoreError) return !isUnstorable(error);
    if (error instanceof ContractError || !isRetryable(error)) return false;
    const place = `${record.topic}/${record.partition}/${record.offset}`;
    const deliveries = (this.#deliveries.get(place) ?? 0) + 1;
    if (deliveries >= MOST_DELIVERIES) {
      this.#deliveries.delete(place);
      return false;
    }
    this.#deliveries.set(place, deliveries);
    return true;
  }

  /** Gives what kept it from being parked: a large record needs the blob store. */
  async #park(record: LogRecord, error: unknown, unit: OpenUnit): Promise<unknown> {
    const { code, message } = describeError(error);
    const { service, blobs, onTrouble } = this.#options;
    try {
      unit.addOutbox(await parkedRecord(record, { service, code, message }, (bytes) => blobs.put(bytes)));
    } catch (failure) {
      return failure;
    }
    const type = record.headers['ce_type'] ?? 'no type';
    const what = `parked ${coordinatesOf(record)} (${type.slice(0, MOST_TOLD)})`;
    const fields = fieldsOf(record);
    const known = latestType(type);
    unit.tell({ eventType: eventDefinition(known) ? known : 'unknown', outcome: 'parked', code, fields });
    onTrouble(`${what}: ${code}: ${message.slice(0, MOST_TOLD)}`, { ...fields, code });
    return undefined;
  }
}

function placeOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Of the last record before `next`. */
function lastMark(records: readonly LogRecord[], next: number): Mark | undefined {
  const last = records.findLast(({ offset }) => offset < next);
  return last && markOf(last);
}

function isUnstorable(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_UNSTORABLE';
}

/** The id of an event as the contracts allow it; a stranger's is met when its record is decoded. */
function orderlyId({ headers }: LogRecord): string[] {
  const id = headers['ce_id'];
  return id !== undefined && id !== '' && problemOfName(id) === null ? [id] : [];
}
