import { setMaxListeners } from 'node:events';
import { describeError, isRetryable, turn, type Clock, type ErrorDescription } from '@whale/kernel';
import type { DomainEvent, WireRecord } from '@whale/contracts';
import { backOffMs, DEFAULT_BACK_OFF } from '@whale/event-log';
import type { WorkOutcome } from '@whale/telemetry';
import { StoreError } from '../store/errors.ts';
import { newOwner, registerOwner } from '../store/owner.ts';
import type { DeferredWork, HeldWork, ServiceStore, UnitOfWork } from '../store/service-store.ts';
import type { ServiceTelemetry, Tell } from '../telemetry/service-telemetry.ts';
import type { Emitter } from '../transport/emitter.ts';
import type { OutboxRelay } from '../transport/relay.ts';
import { attempt, experimentOf, runningItem, type RunningItem, type Settled } from './attempt.ts';
import { causeOf, progressOf, type WorkProgress } from './progress.ts';

export type WorkResult =
  | { events: readonly DomainEvent[]; documents?: ReadonlyMap<string, unknown> }
  /** Not yet: something that is on its way is missing. Does not count as an attempt. */
  | { deferMilliseconds: number };

/** One kind of long work. Errors that `run` throws are infrastructure or bugs: business failure is an event. */
export interface WorkHandler {
  kind: string;
  /** Items that may run at once. */
  concurrency: number;
  run(payload: unknown, signal: AbortSignal, progress: WorkProgress): Promise<WorkResult>;
  /** What to say when the attempts are used up or the error is not retryable. */
  failed(payload: unknown, error: ErrorDescription): readonly DomainEvent[] | Promise<readonly DomainEvent[]>;
}

export interface WorkRunnerOptions {
  store: ServiceStore;
  emitter: Emitter;
  relay: OutboxRelay;
  clock: Clock;
  handlers: readonly WorkHandler[];
  telemetry: ServiceTelemetry;
  onTrouble: Tell;
  /** Attempts within this service before a failure becomes an event. */
  attempts?: number;
  leaseMilliseconds?: number;
}

/** Before work is tried again that the store has kept from being done. */
const STORE_PAUSE_MS = 1_000;

interface Finished {
  records: readonly WireRecord[];
  events: readonly DomainEvent[];
  outcome: WorkOutcome;
  documents?: ReadonlyMap<string, unknown> | undefined;
}

interface Deferred extends DeferredWork {
  outcome: WorkOutcome;
}

/**
 * Does long work from the inbox, so that the consumer never waits for it. Invariants, each named by a test:
 * W1 At most `concurrency` items of a kind run at once, and each is leased: a second process does not take it.
 * W2 An item and its events are finished in one transaction; after a kill the item is taken again.
 * W3 A retryable failure waits and is tried again; the last one, or one that cannot be mended, becomes an event. A
 *    failure of the store never does.
 * W4 What an item commits on the way is one transaction that only the owner of its lease can make; it is published at
 *    once and outlives a kill.
 */
export class WorkRunner {
  readonly #options: Required<WorkRunnerOptions>;
  readonly #owner = newOwner();
  readonly #running = new Map<string, RunningItem>();
  readonly #abort = new AbortController();
  #settled: Settled[] = [];
  #flushing: Promise<void> | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  #failedClaims = 0;
  #claimNotBefore = 0;
  #toldOfClaims: string | null = null;
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

  /** Items that run here, by kind; a kind of which none runs is told as 0. */
  inFlight(): ReadonlyMap<string, number> {
    const running = [...this.#running.values()];
    return new Map(
      this.#options.handlers.map(({ kind }) => [kind, running.filter((item) => item.kind === kind).length]),
    );
  }

  poke(): void {
    this.#again = true;
    if (this.#claiming || !this.#started || this.#abort.signal.aborted) return;
    if (performance.now() < this.#claimNotBefore) return;
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
    const { store, handlers, clock, leaseMilliseconds } = this.#options;
    while (this.#again && !this.#abort.signal.aborted) {
      this.#again = false;
      try {
        for (const handler of handlers) {
          const limit = handler.concurrency - (this.inFlight().get(handler.kind) ?? 0);
          if (limit <= 0) continue;
          const now = clock.now();
          const claim = { owner: this.#owner, kinds: [handler.kind], limit, now, leaseUntil: now + leaseMilliseconds };
          for (const item of await store.claimWork(claim)) {
            if (!this.#running.has(item.id)) this.#begin(handler, runningItem(item));
          }
        }
        this.#failedClaims = 0;
        this.#toldOfClaims = null;
      } catch (error) {
        this.#claimFailed(error);
        return;
      }
    }
  }

  /** The next look waits; what stays the same is told once. */
  #claimFailed(error: unknown): void {
    this.#claimNotBefore = performance.now() + backOffMs(this.#failedClaims++, DEFAULT_BACK_OFF);
    const { code, message } = describeError(error);
    if (message === this.#toldOfClaims) return;
    this.#toldOfClaims = message;
    this.#options.onTrouble(`taking work: ${message}; trying again`, { code });
  }

  #begin(handler: WorkHandler, item: RunningItem): void {
    this.#running.set(item.id, item);
    const isLastAttempt = item.attempts + 1 >= this.#options.attempts;
    const parts = { ...this.#options, owner: this.#owner, isLastAttempt };
    void attempt(handler, item, {
      tracing: this.#options.telemetry.tracing,
      signal: this.#abort.signal,
      progress: (traceparent) => progressOf(item, traceparent, parts),
    }).then((settled) => this.#settle(settled));
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
    let tell: () => void;
    try {
      const effects = await this.#unitOf(batch);
      await turn();
      await this.#options.store.commit(effects.unit);
      tell = effects.tell;
    } catch (error) {
      if (batch.length === 1) {
        // The item stays leased and is taken again when the lease ends.
        const { code, message } = describeError(error);
        const workId = batch[0]?.item.id;
        this.#options.onTrouble(`finishing work ${workId}: ${message}`, { code, workId });
        return;
      }
      for (const settled of batch) await this.#commit([settled]);
      return;
    }
    tell();
  }

  /** The effects of a batch, and what tells of them once they are committed. */
  async #unitOf(batch: readonly Settled[]): Promise<{ unit: UnitOfWork; tell: () => void }> {
    const finished: HeldWork[] = [];
    const deferred: DeferredWork[] = [];
    const outbox = [];
    const documents = new Map<string, unknown>();
    const told: (() => void)[] = [];
    for (const settled of batch) {
      const { item, seconds } = settled;
      const outcome = await this.#outcomeOf(settled);
      const events = 'events' in outcome ? outcome.events : [];
      told.push(() => this.#options.telemetry.worked(item.kind, outcome.outcome, seconds, events));
      if ('notBefore' in outcome) {
        deferred.push(outcome);
        continue;
      }
      finished.push({ id: item.id, owner: this.#owner });
      for (const [key, value] of outcome.documents ?? []) documents.set(key, value);
      outbox.push(...outcome.records);
    }
    return { unit: { finished, deferred, outbox, documents }, tell: () => told.forEach((one) => one()) };
  }

  async #outcomeOf(settled: Settled): Promise<Deferred | Finished> {
    const { clock, attempts: most } = this.#options;
    const { item, result } = settled;
    const defer = (outcome: WorkOutcome, milliseconds: number, attempts: number): Deferred => ({
      id: item.id,
      owner: this.#owner,
      notBefore: clock.now() + milliseconds,
      attempts,
      outcome,
    });
    if ('deferMilliseconds' in result) return defer('deferred', result.deferMilliseconds, item.attempts);
    let error: unknown;
    if ('events' in result) {
      try {
        return { ...result, records: await this.#encode(settled, result.events), outcome: 'done' };
      } catch (refused) {
        // An event that does not fit its schema is a failure of the work like any other.
        error = refused;
      }
    } else {
      error = result.error;
    }
    // The store is not the work's fault: it is tried again for as long as that takes.
    if (error instanceof StoreError && error.code !== 'STORE_UNSTORABLE') {
      return defer('retried', STORE_PAUSE_MS, item.attempts);
    }
    const attempts = item.attempts + 1;
    const description = describeError(error);
    const retried = isRetryable(error) && attempts < most;
    // At once: after a time limit of minutes, the last attempt is far away.
    this.#tell(settled, description, retried ? `failed and is tried again (${attempts} of ${most})` : 'failed');
    if (retried) return defer('retried', 100 * 2 ** attempts, attempts);
    const events = await this.#failureOf(settled, description);
    return { records: await this.#encode(settled, events), events, outcome: 'failed' };
  }

  #tell({ item, traceparent }: Settled, { code, message }: ErrorDescription, what: string): void {
    const { id: workId, kind, payload } = item;
    const fields = { code, workId, experimentId: experimentOf(payload), traceparent };
    this.#options.onTrouble(`${kind} ${workId} ${what}: ${code}: ${message}`, fields);
  }

  async #failureOf({ item }: Settled, error: ErrorDescription): Promise<readonly DomainEvent[]> {
    const handler = this.#options.handlers.find(({ kind }) => kind === item.kind) as WorkHandler;
    return handler.failed(item.payload, error);
  }

  #encode({ item, traceparent }: Settled, events: readonly DomainEvent[]): Promise<WireRecord[]> {
    return this.#options.emitter.encode(events, { causationId: causeOf(item), traceparent });
  }

  async #renew(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    const { store, clock, leaseMilliseconds, onTrouble } = this.#options;
    try {
      await store.renewLeases(this.#owner, ids, clock.now() + leaseMilliseconds);
    } catch (error) {
      const { code, message } = describeError(error);
      onTrouble(`renewing leases: ${message}`, { code });
    }
  }
}
