import {
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { describeError } from '@whale/kernel';
import { ATTRIBUTE } from './attributes.ts';
import { told } from './report.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

/** A record of the log, as far as a span tells of it. */
export interface TracedRecord {
  topic: string;
  partition: number;
  offset: number;
  key: string;
  headers: Readonly<Record<string, string>>;
}

export interface TracedWork {
  id: string;
  kind: string;
  experimentId: string | undefined;
  traceparent: string | undefined;
  attempt: number;
}

/**
 * The spans of one service. An experiment is one trace: a span continues the trace of the `traceparent` that led to it,
 * and what it publishes carries its own. Without an SDK there are no spans. Invariants, each named by a test:
 * O1 Where tracing is off, or a span is not of a trace, a traceparent is passed on as it came.
 * O2 A traceparent leads to nothing but spans: not to ids, state or decisions.
 */
export class Tracing {
  readonly #tracer: Tracer | undefined;
  readonly #common: Attributes;

  /** `system` is what traces call the log. */
  constructor(service: string, system = 'whale') {
    this.#tracer = presentTracer();
    this.#common = { [ATTRIBUTE.service]: service, [ATTRIBUTE.system]: system };
  }

  /** Runs the handling of a record as the active span; what it throws is told by the span and thrown on. */
  handling<Result>(record: TracedRecord, group: string, run: () => Promise<Result>): Promise<Result> {
    if (!this.#tracer) return run();
    const { headers } = record;
    const attributes: Attributes = {
      ...this.#common,
      [ATTRIBUTE.operation]: 'process',
      [ATTRIBUTE.operationType]: 'process',
      [ATTRIBUTE.group]: group,
      [ATTRIBUTE.topic]: record.topic,
      [ATTRIBUTE.partition]: String(record.partition),
      [ATTRIBUTE.offset]: record.offset,
      [ATTRIBUTE.key]: told(record.key),
      [ATTRIBUTE.messageId]: told(headers['ce_id']),
      [ATTRIBUTE.eventType]: told(headers['ce_type']),
      [ATTRIBUTE.experiment]: told(headers['ce_correlationid']),
    };
    const options = { kind: SpanKind.CONSUMER, attributes };
    const span = this.#tracer.startSpan(`${record.topic} process`, options, under(headers['traceparent']));
    return within(span, run);
  }

  /** The same for a piece of long work. */
  working<Result>(work: TracedWork, run: () => Promise<Result>): Promise<Result> {
    if (!this.#tracer) return run();
    const attributes: Attributes = {
      ...this.#common,
      [ATTRIBUTE.workKind]: work.kind,
      [ATTRIBUTE.workId]: work.id,
      [ATTRIBUTE.experiment]: work.experimentId,
      'whale.work.attempt': work.attempt,
    };
    return within(this.#tracer.startSpan(`${work.kind} work`, { attributes }, under(work.traceparent)), run);
  }

  /** The same for the first event of a trace, which nothing led to. */
  publishing<Result>(topic: string, experimentId: string, run: () => Promise<Result>): Promise<Result> {
    if (!this.#tracer) return run();
    const span = this.#tracer.startSpan(`${topic} send`, {
      kind: SpanKind.PRODUCER,
      attributes: {
        ...this.#common,
        [ATTRIBUTE.operation]: 'send',
        [ATTRIBUTE.operationType]: 'send',
        [ATTRIBUTE.topic]: topic,
        [ATTRIBUTE.experiment]: experimentId,
      },
    });
    return within(span, run);
  }
}

/** The tracer of the SDK that is there now. The API's no-op would cost some microseconds an event. */
function presentTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider ? provider.getDelegateTracer('whale') : provider.getTracer('whale');
}

/** The traceparent for what the active span leads to; `incoming` where there is none. */
export function outgoingTraceparent(incoming: string | undefined): string | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  if (!active || !isSpanContextValid(active)) return incoming;
  // A span that is no span of ours stands for the incoming one.
  return parseTraceparent(incoming)?.spanId === active.spanId ? incoming : formatTraceparent(active);
}

/** Says on the active span how a record ended that did not throw. */
export function tellOutcome(outcome: string, errorCode?: string): void {
  const span = trace.getActiveSpan();
  if (!span?.isRecording()) return;
  span.setAttribute(ATTRIBUTE.eventOutcome, outcome);
  if (errorCode === undefined) return;
  span.setAttribute(ATTRIBUTE.errorType, errorCode);
  span.setStatus({ code: SpanStatusCode.ERROR, message: errorCode });
}

function under(traceparent: string | undefined): Context {
  const parent = parseTraceparent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

function within<Result>(span: Span, run: () => Promise<Result>): Promise<Result> {
  return context.with(trace.setSpan(context.active(), span), async () => {
    try {
      return await run();
    } catch (error) {
      const { code, message } = describeError(error);
      span.setAttribute(ATTRIBUTE.errorType, code);
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw error;
    } finally {
      span.end();
    }
  });
}
