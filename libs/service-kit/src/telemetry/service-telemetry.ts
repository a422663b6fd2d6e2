import type { DomainEvent } from '@whale/contracts';
import type { Clock } from '@whale/kernel';
import {
  ExperimentMetrics,
  ServiceMetrics,
  Tracing,
  type EventOutcome,
  type ReportFields,
  type WorkOutcome,
} from '@whale/telemetry';

/** A line for the operator, and what it is about. */
export type Tell = (message: string, fields?: ReportFields) => void;

/** What became of a record; told once its effects are committed. */
export interface HandledRecord {
  /** A type of the contracts, or `unknown`: what a stranger writes must not become a series of its own. */
  eventType: string;
  outcome: EventOutcome;
  /** Of the error that it was parked for. */
  code?: string;
  /** ISO 8601, by the writer's clock; undefined where it could not be read. */
  writtenAt?: string;
  fields: ReportFields & { topic: string };
}

export interface ServiceTelemetryOptions {
  service: string;
  /** What traces call the log. */
  messagingSystem?: string | undefined;
  clock: Clock;
  onHandled?: ((outcome: EventOutcome, fields: ReportFields) => void) | undefined;
}

/** What a service tells of itself: nothing and to nobody unless its process has turned telemetry on before. */
export class ServiceTelemetry {
  readonly tracing: Tracing;
  readonly metrics: ServiceMetrics;
  readonly #experiments = new ExperimentMetrics();
  readonly #options: ServiceTelemetryOptions;

  constructor(options: ServiceTelemetryOptions) {
    const { service, messagingSystem } = options;
    this.#options = options;
    this.tracing = new Tracing(service, messagingSystem);
    this.metrics = new ServiceMetrics(service, messagingSystem);
  }

  /** A transaction of the consumer is committed. */
  handled(records: readonly HandledRecord[], written: readonly DomainEvent[]): void {
    const { clock, onHandled } = this.#options;
    if (!this.metrics.on && !onHandled) return;
    for (const { eventType, outcome, code, writtenAt, fields } of records) {
      const latency = writtenAt === undefined ? undefined : (clock.now() - Date.parse(writtenAt)) / 1000;
      this.metrics.handled(eventType, outcome, outcome === 'handled' ? latency : undefined);
      if (code !== undefined) this.metrics.parked(fields.topic, code);
      onHandled?.(outcome, fields);
    }
    this.#written(written);
  }

  /** A piece of work and what it led to are committed. */
  worked(kind: string, outcome: WorkOutcome, seconds: number, written: readonly DomainEvent[]): void {
    if (!this.metrics.on) return;
    this.metrics.worked(kind, outcome, seconds);
    this.#written(written);
  }

  /** A piece of work that goes on has committed events. */
  progressed(written: readonly DomainEvent[]): void {
    if (this.metrics.on) this.#written(written);
  }

  #written(events: readonly DomainEvent[]): void {
    for (const event of events) this.#experiments.written(event);
  }
}
