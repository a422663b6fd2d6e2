/** Marks a stored payload that has a traceparent with it. */
const TRACEPARENT = 'whale.traceparent';

interface Carried {
  [TRACEPARENT]: string;
  payload: unknown;
}

/** A payload as it is stored: with the trace that asked for the work, else as it is. */
export function carryTrace(payload: unknown, traceparent: string | undefined): unknown {
  return traceparent === undefined ? payload : ({ [TRACEPARENT]: traceparent, payload } satisfies Carried);
}

export function carriedTrace(stored: unknown): { payload: unknown; traceparent: string | undefined } {
  if (typeof stored !== 'object' || stored === null || !(TRACEPARENT in stored)) {
    return { payload: stored, traceparent: undefined };
  }
  const { [TRACEPARENT]: traceparent, payload } = stored as Carried;
  return { payload, traceparent };
}
