import { setMaxListeners } from 'node:events';
import { describeError, isRetryable, turn, type Clock, type ErrorDescription } from '@whale/kernel';
import type { DomainEvent, WireRecord } from '@whale/contracts';
import { newOwner, registerOwner } from '../store/owner.ts';
import type { DeferredWork, FinishedWork, ServiceStore, UnitOfWork, WorkItem } from '../store/service-store.ts';
import type { Emitter } from '../transport/emitter.ts';
import type { OutboxRelay } from '../transport/relay.ts';

export type WorkResult =
  | { events: readonly DomainEvent[]; documents?: ReadonlyMap<string, unknown> }
  /** Not yet: something that is on its way is missing. Does not count as an attempt. */
  | { deferMilliseconds: number };

/** One kind of long work. Errors that `run` throws are infrastructure or bugs: business failure is an event. */
export interface WorkHandler {
  kind: string;
  /** Items that may run at once. */
  concurrency: number;
  run(payload: unknown, signal: AbortSignal): Promise<WorkResult>;
  /** What to say when the attempts are used up or the error is not retryable. */
  failed(payload: unknown, error: ErrorDescription): readonly DomainEvent[];
}

export interface WorkRunnerOptions {
  store: ServiceStore;
  emitter: Emitter;
  relay: OutboxRelay;
  clock: Clock;
  handlers: readonly WorkHandler[];
  onTrouble: (message: string) => void;
  /** Attempts within this service before a failure becomes an event. */
  attempts?: number;
  leaseMilliseconds?: number;
}

interface Finished {
  records: readonly WireRecord[];
  documents?: ReadonlyMap<string, unknown> | undefined;
}

interface Settled {
  item: WorkItem;
  result: WorkResult | { error: unknown };
}

/**
 * Does long work from the inbox, so that the consumer never waits for it. Invariants, each named by a test:
 * W1 At most `concurrency` items of a kind run at once, and each is leased: a second process does not take it.
 * W2 An item and its events are finished in one transaction; after a kill the item is taken again.
 * W3 A retryable failure waits and is tried again; the last one, or one that cannot be mended, becomes an event.
 */
export class WorkRunner {
  readonly #options: Required<WorkRunnerOptions>;
  readonly #owner = newOwner();
  readonly #running = new Map<string, WorkItem>();
  readonly #abort = new AbortController();
  #settled: Settled[] = [];
  #flushing: Promise<void> | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  #timers: NodeJS.Timeout[] = [];
  #started = false;
  #stopped = false;

  constructor(options: WorkRunnerOptions) {
    this.#options = { attempts: 4, leaseMilliseconds: 30_000, ...options };
    registerOwner(this.#owner);
    // Every running item listens to the one signal.
    setMaxListeners(0, this.#abort.signal);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    const { leaseMilliseconds } = this.#options;
    this.#timers.push(setInterval(() => void this.#renew(), leaseMilliseconds / 3));
    // Finds work whose back-off is over or whose owner died; new work is poked.
    this.#timers.push(setInterval(() => this.poke(), 100));
    this.poke();
  }

  poke(): void {
    this.#again = true;
    if (this.#claiming || !this.#started || this.#abort.signal.aborted) return;
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = null;
    });
  }

  /** Ends what runs, gives its leases back. What was done is committed. */
  async stop(): Promise<void> {
    if (!this.#started || this.#abort.signal.aborted) return;
    this.#abort.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#claiming;
    await this.#flushing;
    this.#stopped = true;
    await this.#options.store.releaseLeases(this.#owner);
  }

  async #claim(): Promise<void> {
    const { store, handlers, clock, leaseMilliseconds, onTrouble } = this.#options;
    while (this.#again && !this.#abort.signal.aborted) {
      this.#again = false;
      for (const handler of handlers) {
        const running = [...this.#running.values()].filter((item) => item.kind === handler.kind).length;
        const limit = handler.concurrency - running;
        if (limit <= 0) continue;
        try {
          const now = clock.now();
          const claim = { owner: this.#owner, kinds: [handler.kind], limit, now, leaseUntil: now + leaseMilliseconds };
          for (const item of await store.claimWork(claim)) if (!this.#running.has(item.id)) this.#begin(handler, item);
        } catch (error) {
          onTrouble(`taking work: ${describeError(error).message}`);
        }
      }
    }
  }

  #begin(handler: WorkHandler, item: WorkItem): void {
    this.#running.set(item.id, item);
    handler.run(item.payload, this.#abort.signal).then(
      (result) => this.#settle({ item, result }),
      (error: unknown) => this.#settle({ item, result: { error } }),
    );
  }

  #settle(settled: Settled): void {
    // What an abort cut off is not a failure of the work: the lease is given back and another process takes it.
    if (this.#stopped || (this.#abort.signal.aborted && 'error' in settled.result)) return;
    this.#settled.push(settled);
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null;
    });
  }

  async #flush(): Promise<void> {
    while (this.#settled.length > 0) {
      // What finished together shares a transaction.
      await turn();
      const batch = this.#settled.splice(0, 16);
      await this.#commit(batch);
      for (const { item } of batch) this.#running.delete(item.id);
      this.#options.relay.poke();
      this.poke();
    }
  }

  async #commit(batch: readonly Settled[]): Promise<void> {
    try {
      const unit = await this.#unitOf(batch);
      await turn();
      await this.#options.store.commit(unit);
    } catch (error) {
      const { onTrouble } = this.#options;
      if (batch.length === 1) {
        // The item stays leased and is taken again when the lease ends.
        onTrouble(`finishing work ${batch[0]?.item.id}: ${describeError(error).message}`);
        return;
      }
      for (const settled of batch) await this.#commit([settled]);
    }
  }

  async #unitOf(batch: readonly Settled[]): Promise<UnitOfWork> {
    const finished: FinishedWork[] = [];
    const deferred: DeferredWork[] = [];
    const outbox = [];
    const documents = new Map<string, unknown>();
    for (const { item, result } of batch) {
      const outcome = await this.#outcomeOf(item, result);
      if ('notBefore' in outcome) {
        deferred.push(outcome);
        continue;
      }
      finished.push({ id: item.id, owner: this.#owner });
      for (const [key, value] of outcome.documents ?? []) documents.set(key, value);
      outbox.push(...outcome.records);
    }
    return { finished, deferred, outbox, documents };
  }

  async #outcomeOf(item: WorkItem, result: Settled['result']): Promise<DeferredWork | Finished> {
    const { clock, attempts: most } = this.#options;
    const defer = (milliseconds: number, attempts: number): DeferredWork => ({
      id: item.id,
      owner: this.#owner,
      notBefore: clock.now() + milliseconds,
      attempts,
    });
    if ('deferMilliseconds' in result) return defer(result.deferMilliseconds, item.attempts);
    let error: unknown;
    if ('events' in result) {
      try {
        return { documents: result.documents, records: await this.#encode(item, result.events) };
      } catch (refused) {
        // An event that does not fit its schema is a failure of the work like any other.
        error = refused;
      }
    } else {
      error = result.error;
    }
    const attempts = item.attempts + 1;
    if (isRetryable(error) && attempts < most) return defer(100 * 2 ** attempts, attempts);
    return { records: await this.#encode(item, this.#failureOf(item, describeError(error))) };
  }

  #failureOf(item: WorkItem, error: ErrorDescription): readonly DomainEvent[] {
    this.#options.onTrouble(`${item.kind} ${item.id} failed: ${error.code}: ${error.message}`);
    const handler = this.#options.handlers.find((candidate) => candidate.kind === item.kind) as WorkHandler;
    return handler.failed(item.payload, error);
  }

  #encode(item: WorkItem, events: readonly DomainEvent[]): Promise<WireRecord[]> {
    return this.#options.emitter.encode(events, { causationId: item.id.slice(0, item.id.lastIndexOf('/')) });
  }

  async #renew(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    const { store, clock, leaseMilliseconds, onTrouble } = this.#options;
    try {
      await store.renewLeases(this.#owner, ids, clock.now() + leaseMilliseconds);
    } catch (error) {
      onTrouble(`renewing leases: ${describeError(error).message}`);
    }
  }
}
