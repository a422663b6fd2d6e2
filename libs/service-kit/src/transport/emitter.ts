import type { BlobStore } from '@whale/blob-store';
import {
  CLAIM_CHECK_BYTES,
  encodeEvent,
  type DomainEvent,
  type EventContext,
  type EventDefinition,
  type WireRecord,
} from '@whale/contracts';
import { turn, WhaleError, type Clock } from '@whale/kernel';

/** Events that are encoded in one turn of the event loop: some milliseconds' worth. */
const EVENTS_A_TURN = 8;

/** Turns a service's events into records: validates, refuses what the service does not own, checks in large values. */
export class Emitter {
  readonly #service: string;
  readonly #emits: ReadonlySet<string>;
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  #sinceTurn = 0;

  constructor(options: { service: string; emits: readonly EventDefinition[]; blobs: BlobStore; clock: Clock }) {
    this.#service = options.service;
    this.#emits = new Set(options.emits.map((definition) => definition.type));
    this.#blobs = options.blobs;
    this.#clock = options.clock;
  }

  async encode(
    events: readonly DomainEvent[],
    cause: Pick<EventContext, 'causationId' | 'traceparent'> = {},
  ): Promise<WireRecord[]> {
    const records: WireRecord[] = [];
    for (const event of events) {
      records.push(await this.#encodeOne(event, cause));
      if (++this.#sinceTurn % EVENTS_A_TURN === 0) await turn();
    }
    return records;
  }

  async #encodeOne(event: DomainEvent, cause: Pick<EventContext, 'causationId' | 'traceparent'>): Promise<WireRecord> {
    if (!this.#emits.has(event.type)) {
      throw new WhaleError('NOT_THE_WRITER', `${this.#service} does not write ${event.type}: see its subscriptions.ts`);
    }
    const record = encodeEvent(event, {
      source: `whale/${this.#service}`,
      time: this.#clock.now(),
      correlationId: (event.data as { experimentId: string }).experimentId,
      ...cause,
    });
    // A UTF-16 unit takes at most three bytes of UTF-8; only near the limit are they counted.
    if (record.value.length * 3 <= CLAIM_CHECK_BYTES) return record;
    const bytes = new TextEncoder().encode(record.value);
    if (bytes.byteLength <= CLAIM_CHECK_BYTES) return record;
    const ref = await this.#blobs.put(bytes);
    return { ...record, headers: { ...record.headers, ce_dataref: ref.uri }, value: JSON.stringify(ref) };
  }
}
