import { outgoingTraceparent, type Tracing } from '@whale/telemetry';
import type { WorkItem } from '../store/service-store.ts';
import { carriedTrace } from './carried-trace.ts';
import type { WorkProgress } from './progress.ts';
import type { WorkHandler, WorkResult } from './work-runner.ts';

/** An item at work, with the trace that asked for it. */
export interface RunningItem extends WorkItem {
  traceparent: string | undefined;
}

export interface Settled {
  item: RunningItem;
  result: WorkResult | { error: unknown };
  seconds: number;
  /** What the work's events carry: that of its span, or the item's own. */
  traceparent: string | undefined;
}

export function runningItem(item: WorkItem): RunningItem {
  return { ...item, ...carriedTrace(item.payload) };
}

export interface AttemptParts {
  tracing: Tracing;
  signal: AbortSignal;
  /** `traceparent` is what the events that are committed on the way carry. */
  progress(traceparent: string | undefined): WorkProgress;
}

/** One attempt at an item, in a span of its own; never rejects. */
export async function attempt(
  handler: WorkHandler,
  item: RunningItem,
  { tracing, signal, progress }: AttemptParts,
): Promise<Settled> {
  const { id, kind, payload, attempts } = item;
  const experimentId = experimentOf(payload);
  const startedAt = performance.now();
  let traceparent = item.traceparent;
  const settled = (result: Settled['result']): Settled => ({
    item,
    result,
    seconds: (performance.now() - startedAt) / 1000,
    traceparent,
  });
  const work = { id, kind, experimentId, traceparent, attempt: attempts + 1 };
  try {
    const result = await tracing.working(work, async () => {
      traceparent = outgoingTraceparent(traceparent);
      return handler.run(payload, signal, progress(traceparent));
    });
    return settled(result);
  } catch (error) {
    return settled({ error });
  }
}

/** All work of the platform is for an experiment, whose id its payload names. */
export function experimentOf(payload: unknown): string | undefined {
  const { experimentId } = (payload ?? {}) as { experimentId?: unknown };
  return typeof experimentId === 'string' ? experimentId : undefined;
}
