import {
  createNoopMeter,
  metrics,
  ValueType,
  type Attributes,
  type BatchObservableResult,
  type Counter,
  type Histogram,
  type Meter,
  type ObservableGauge,
} from '@opentelemetry/api';
import { ATTRIBUTE } from './attributes.ts';

/** Seconds; the convention's buckets for messaging, with shorter ones for a log in the same process. */
const HANDLING_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const WORK_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

export type EventOutcome = 'handled' | 'duplicate' | 'parked';
export type WorkOutcome = 'done' | 'deferred' | 'retried' | 'failed';

/** Where a service stands at the moment it is asked. */
export interface Standing {
  lags: readonly { group: string; topic: string; partition: number; lag: number }[];
  /** Work that runs in this process, by kind. */
  inFlight: ReadonlyMap<string, number>;
  /** Work that waits or runs, of all processes of the service; undefined where the service has none. */
  pending: number | undefined;
  /** Records that wait to be published. */
  outbox: number;
}

/**
 * The metrics of one service; docs/observability.md lists them. They go to the SDK that is there when this is made, and
 * nowhere without one.
 */
export class ServiceMetrics {
  /** False where nothing that is told goes anywhere. */
  readonly on: boolean;
  readonly #meter: Meter;
  readonly #common: Attributes;
  readonly #system: string;
  readonly #duration: Histogram;
  readonly #events: Counter;
  readonly #latency: Histogram;
  readonly #parked: Counter;
  readonly #work: Histogram;
  readonly #lag: ObservableGauge;
  readonly #inFlight: ObservableGauge;
  readonly #pending: ObservableGauge;
  readonly #outbox: ObservableGauge;

  constructor(service: string, system = 'whale') {
    this.#meter = metrics.getMeter('whale');
    this.on = this.#meter !== createNoopMeter();
    this.#common = { [ATTRIBUTE.service]: service };
    this.#system = system;
    this.#duration = this.#histogram('messaging.process.duration', 'Handling of one event.', HANDLING_BUCKETS);
    this.#latency = this.#histogram('whale.event.latency', 'From written to handled.', LATENCY_BUCKETS);
    this.#work = this.#histogram('whale.work.duration', 'One attempt at a piece of long work.', WORK_BUCKETS);
    this.#events = this.#counter('whale.events', '{event}', 'Events that were handled, by type and outcome.');
    this.#parked = this.#counter('whale.dlq.parked', '{event}', 'Events that were parked, by topic and code.');
    this.#lag = this.#gauge('whale.consumer.lag', '{event}', 'Head less next offset, of the partitions held here.');
    this.#inFlight = this.#gauge('whale.work.in_flight', '{item}', 'Long work that runs in this process.');
    this.#pending = this.#gauge('whale.work.pending', '{item}', 'Long work that waits or runs, of all processes.');
    this.#outbox = this.#gauge('whale.outbox.pending', '{event}', 'Events that wait to be published.');
  }

  /** `seconds` as the handler took, whatever came of it. */
  handlingTook(topic: string, group: string, seconds: number, errorCode?: string): void {
    if (!this.on) return;
    this.#duration.record(seconds, {
      ...this.#common,
      [ATTRIBUTE.operation]: 'process',
      [ATTRIBUTE.system]: this.#system,
      [ATTRIBUTE.topic]: topic,
      [ATTRIBUTE.group]: group,
      ...(errorCode === undefined ? {} : { [ATTRIBUTE.errorType]: errorCode }),
    });
  }

  /** Once its effects are committed. `latencySeconds` may be off by what clocks of machines are; it is never negative. */
  handled(eventType: string, outcome: EventOutcome, latencySeconds: number | undefined): void {
    if (!this.on) return;
    const attributes = { ...this.#common, [ATTRIBUTE.eventType]: eventType };
    this.#events.add(1, { ...attributes, [ATTRIBUTE.eventOutcome]: outcome });
    if (latencySeconds !== undefined) this.#latency.record(Math.max(0, latencySeconds), attributes);
  }

  parked(topic: string, code: string): void {
    if (!this.on) return;
    this.#parked.add(1, { ...this.#common, [ATTRIBUTE.topic]: topic, [ATTRIBUTE.errorType]: code });
  }

  worked(kind: string, outcome: WorkOutcome, seconds: number): void {
    if (!this.on) return;
    this.#work.record(seconds, {
      ...this.#common,
      [ATTRIBUTE.workKind]: kind,
      [ATTRIBUTE.workOutcome]: outcome,
    });
  }

  /** Asks `standing` each time metrics are collected, until the function that it gives is called. */
  watch(standing: () => Promise<Standing>): () => void {
    const instruments = [this.#lag, this.#inFlight, this.#pending, this.#outbox];
    const observe = async (result: BatchObservableResult): Promise<void> => {
      const { lags, inFlight, pending, outbox } = await standing();
      for (const { group, topic, partition, lag } of lags) {
        const place = { [ATTRIBUTE.topic]: topic, [ATTRIBUTE.partition]: String(partition) };
        result.observe(this.#lag, lag, { ...this.#common, [ATTRIBUTE.group]: group, ...place });
      }
      for (const [kind, count] of inFlight) {
        result.observe(this.#inFlight, count, { ...this.#common, [ATTRIBUTE.workKind]: kind });
      }
      if (pending !== undefined) result.observe(this.#pending, pending, this.#common);
      result.observe(this.#outbox, outbox, this.#common);
    };
    this.#meter.addBatchObservableCallback(observe, instruments);
    return () => this.#meter.removeBatchObservableCallback(observe, instruments);
  }

  #histogram(name: string, description: string, buckets: number[]): Histogram {
    return this.#meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: buckets },
    });
  }

  #counter(name: string, unit: string, description: string): Counter {
    return this.#meter.createCounter(name, { description, unit, valueType: ValueType.INT });
  }

  #gauge(name: string, unit: string, description: string): ObservableGauge {
    return this.#meter.createObservableGauge(name, { description, unit, valueType: ValueType.INT });
  }
}
