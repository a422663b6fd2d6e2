import { isSpanContextValid, TraceFlags, type SpanContext } from '@opentelemetry/api';

/** Version, trace id, parent span id, flags; a later version may say more behind them. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The span that a W3C `traceparent` names; undefined for none, or for one that is not valid: a new trace begins. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const match = FORM.exec(text ?? '');
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`;
}
