import type { DomainEvent, WireRecord } from '@whale/contracts';
import type { NewWork, ServiceStore, StoredDocument } from '../store/service-store.ts';
import type { HandledRecord } from '../telemetry/service-telemetry.ts';
import { carryTrace } from '../work/carried-trace.ts';
import type { Reaction } from './on-event.ts';

/** Gathers the effects of a batch; later events of the batch see the documents of earlier ones. */
export class OpenUnit {
  readonly #store: ServiceStore;
  readonly #inbox = new Set<string>();
  /** Whether the store knows an id, for those that were looked up together. */
  readonly #seen = new Map<string, boolean>();
  readonly #documents = new Map<string, unknown>();
  readonly #read = new Map<string, StoredDocument>();
  readonly #outbox: WireRecord[] = [];
  readonly #work: NewWork[] = [];
  readonly #handled: HandledRecord[] = [];
  readonly #written: DomainEvent[] = [];

  constructor(store: ServiceStore) {
    this.#store = store;
  }

  get workCount(): number {
    return this.#work.length;
  }

  /** What became of the records, for telemetry. */
  get handled(): readonly HandledRecord[] {
    return this.#handled;
  }

  /** The events of the outbox, for telemetry. */
  get written(): readonly DomainEvent[] {
    return this.#written;
  }

  /** Looks ids up in one round trip; whatever id comes later without it is looked up by itself. */
  async lookUp(eventIds: readonly string[]): Promise<void> {
    if (eventIds.length === 0) return;
    const seen = await this.#store.seen(eventIds);
    for (const eventId of eventIds) this.#seen.set(eventId, seen.has(eventId));
  }

  async knows(eventId: string): Promise<boolean> {
    if (this.#inbox.has(eventId)) return true;
    return this.#seen.get(eventId) ?? (await this.#store.seen([eventId])).has(eventId);
  }

  async document(key: string): Promise<unknown> {
    if (this.#documents.has(key)) return this.#documents.get(key);
    let known = this.#read.get(key);
    if (!known) {
      known = (await this.#store.read([key])).get(key) ?? { value: undefined, revision: 0 };
      this.#read.set(key, known);
    }
    return known.value;
  }

  add(eventId: string, reaction: Reaction, outbox: readonly WireRecord[], traceparent: string | undefined): void {
    this.#inbox.add(eventId);
    for (const [key, value] of reaction.documents ?? []) this.#documents.set(key, value);
    for (const { kind, payload } of reaction.work ?? []) {
      this.#work.push({ id: `${eventId}/${kind}`, kind, payload: carryTrace(payload, traceparent) });
    }
    this.#outbox.push(...outbox);
    this.#written.push(...(reaction.events ?? []));
  }

  addOutbox(record: WireRecord): void {
    this.#outbox.push(record);
  }

  tell(record: HandledRecord): void {
    this.#handled.push(record);
  }

  contents() {
    const basedOn = new Map([...this.#read].map(([key, { revision }]) => [key, revision]));
    return { inbox: [...this.#inbox], documents: this.#documents, basedOn, outbox: this.#outbox, work: this.#work };
  }
}
