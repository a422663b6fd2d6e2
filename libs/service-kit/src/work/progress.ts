import type { DomainEvent } from '@whale/contracts';
import type { ServiceStore } from '../store/service-store.ts';
import type { ServiceTelemetry } from '../telemetry/service-telemetry.ts';
import type { Emitter } from '../transport/emitter.ts';
import type { OutboxRelay } from '../transport/relay.ts';
import type { RunningItem } from './attempt.ts';

export interface WorkProgress {
  /** A retryable failure of this attempt is final too: what is to be kept must be kept now. */
  readonly isLastAttempt: boolean;
  /**
   * Commits effects while the item goes on, in one transaction, and has the events published at once; a null document
   * is deleted. Throws StoreError (STORE_STALE_CONSUMER where the lease was lost: the item is another process's now), and
   * WhaleError EVENT_SCHEMA for an event that does not fit; then nothing of it is there.
   */
  commit(effects: { events: readonly DomainEvent[]; documents?: ReadonlyMap<string, unknown> }): Promise<void>;
}

export interface ProgressParts {
  store: ServiceStore;
  emitter: Emitter;
  relay: OutboxRelay;
  telemetry: ServiceTelemetry;
  owner: string;
  isLastAttempt: boolean;
}

/** `traceparent` is that of the attempt's span. */
export function progressOf(item: RunningItem, traceparent: string | undefined, parts: ProgressParts): WorkProgress {
  const { store, emitter, relay, telemetry, owner, isLastAttempt } = parts;
  return {
    isLastAttempt,
    async commit({ events, documents }) {
      const outbox = await emitter.encode(events, { causationId: causeOf(item), traceparent });
      await store.commit({ held: [{ id: item.id, owner }], outbox, ...(documents && { documents }) });
      relay.poke();
      telemetry.progressed(events);
    },
  };
}

/** The event that asked for the work: an item's id is the event's and a suffix of its own. */
export function causeOf({ id }: Pick<RunningItem, 'id'>): string {
  return id.slice(0, id.lastIndexOf('/'));
}
