import type { SubscriptionStatus } from '@whale/event-log';
import type { Standing } from '@whale/telemetry';
import type { ServiceStore } from '../store/service-store.ts';
import type { WorkRunner } from '../work/work-runner.ts';

/** For liveness: whether each part of a running service gets on. */
export interface ServiceHealth {
  /** By consumer group; null where it does not listen yet or any more. */
  subscriptions: readonly { group: string; status: SubscriptionStatus | null }[];
  /** Since when the present attempt to publish the outbox runs, ms since epoch; null when none does. */
  publishingSince: number | null;
  /** Why what it keeps is gone from under it, so that only a new start helps; null as a rule. */
  lost: string | null;
}

/** What the gauges show. */
export async function standingOf(
  { subscriptions }: ServiceHealth,
  runner: WorkRunner | null,
  store: ServiceStore,
): Promise<Standing> {
  const lags = subscriptions.flatMap(({ group, status }) =>
    (status?.partitions ?? []).flatMap(({ topic, partition, nextOffset, head }) =>
      nextOffset === undefined || head === undefined
        ? []
        : [{ group, topic, partition, lag: Math.max(0, head - nextOffset) }],
    ),
  );
  return {
    lags,
    inFlight: runner?.inFlight() ?? new Map(),
    pending: runner ? await store.workPending() : undefined,
    outbox: await store.outboxPending(),
  };
}
