import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { BlobStore } from '@whale/blob-store';
import { eventDefinition, type EventDefinition } from '@whale/contracts';
import type { EventLog, RecordBatch, Subscription } from '@whale/event-log';
import { describeError, WhaleError } from '@whale/kernel';
import type { ServiceStore } from '../store/service-store.ts';
import type { ServiceTelemetry, Tell } from '../telemetry/service-telemetry.ts';
import type { WorkRunner } from '../work/work-runner.ts';
import { stopAll } from '../stop-all.ts';
import { BatchReactor, type InvokeHandler } from './batch-reactor.ts';
import { deliveryTrouble } from './delivery-trouble.ts';
import type { Emitter } from './emitter.ts';
import type { OutboxRelay } from './relay.ts';
import { isObservable, lastValueFrom } from 'rxjs';

export interface EventLogServerOptions {
  service: string;
  consumes: readonly EventDefinition[];
  log: EventLog;
  store: ServiceStore;
  blobs: BlobStore;
  emitter: Emitter;
  relay: OutboxRelay;
  /** Told when work was added. */
  workRunner: () => WorkRunner | null;
  telemetry: ServiceTelemetry;
  onTrouble: Tell;
}

/** One transaction's worth. */
const BATCH_RECORDS = 64;

/** The only place where NestJS meets the log: batches in, handlers by event type, one transaction a batch. */
export class EventLogServer extends Server implements CustomTransportStrategy {
  /** The batch reactor awaits each handler and sees its failure. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #options: EventLogServerOptions;
  #subscription: Subscription | null = null;

  constructor(options: EventLogServerOptions) {
    super();
    this.#options = options;
  }

  listen(callback: (error?: unknown) => void): void {
    this.#listen().then(() => callback(), callback);
  }

  async close(): Promise<void> {
    const { workRunner, relay, onTrouble } = this.#options;
    await stopAll(onTrouble, [() => this.#subscription?.stop(), () => workRunner()?.stop(), () => relay.stop()]);
    this.#subscription = null;
  }

  on(): void {
    throw new Error('the event log has no low-level events');
  }

  /** Null before it listens and once it is closed. */
  get subscription(): Subscription | null {
    return this.#subscription;
  }

  unwrap<T>(): T {
    return this.#options.log as T;
  }

  async #listen(): Promise<void> {
    const { service, consumes, log, store, relay, onTrouble } = this.#options;
    this.#checkHandlers(consumes);
    const reactor = new BatchReactor({ ...this.#options, invoke: this.#invoke });
    relay.poke();
    this.#options.workRunner()?.start();
    this.#subscription = await log.subscribe({
      group: service,
      topics: [...new Set(consumes.map((definition) => definition.topic))],
      maxBatchRecords: BATCH_RECORDS,
      checkpoint: (partition) => store.checkpoint(partition),
      onBatch: async (batch: RecordBatch) => {
        const { work } = await reactor.handle(batch);
        relay.poke();
        if (work > 0) this.#options.workRunner()?.poke();
      },
      onError: (error, { topic, partition }) => {
        onTrouble(deliveryTrouble(error, { topic, partition }), { topic, partition, code: describeError(error).code });
      },
    });
  }

  /** What a service declares in subscriptions.ts is what its controllers handle, no more and no less. */
  #checkHandlers(consumes: readonly EventDefinition[]): void {
    const declared = new Set(consumes.map((definition) => definition.type));
    const handled = new Set(this.messageHandlers.keys());
    for (const type of declared) {
      if (!handled.has(type)) throw new WhaleError('NO_HANDLER', `${this.#options.service} has no handler for ${type}`);
    }
    for (const type of handled) {
      if (!declared.has(type) || !eventDefinition(type)) {
        throw new WhaleError('NOT_SUBSCRIBED', `${this.#options.service} handles ${type} but does not declare it`);
      }
    }
  }

  readonly #invoke: InvokeHandler = async (envelope, delivery) => {
    const handler = this.getHandlerByPattern(envelope.event.type);
    if (!handler) return undefined;
    const result: unknown = await handler(envelope, delivery);
    return (isObservable(result) ? await lastValueFrom(result, { defaultValue: undefined }) : result) as Awaited<
      ReturnType<InvokeHandler>
    >;
  };
}
