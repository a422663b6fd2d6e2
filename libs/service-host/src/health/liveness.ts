import type { ServiceHealth } from '@whale/service-kit';

/**
 * Why a service is stuck; empty when it gets on. Progress counts, not being up. Invariants, each named by a test:
 * H1 A handler that does not return, a loop that does not turn and an attempt to publish that does not end are stuck once
 *    they have lasted `stuckMs`.
 * H2 What fails and tries again is not stuck: starting the process anew would not help it. Readiness tells of it.
 * H3 A part that has not started, or has stopped, is not stuck.
 * H4 What has lost its state from under it is stuck at once: only a new start rebuilds it.
 */
export function stuckBecause(health: ServiceHealth, now: number, stuckMs: number): string[] {
  const causes: string[] = health.lost === null ? [] : [health.lost];
  const check = (since: number | null, what: string): void => {
    if (since === null || now - since <= stuckMs) return;
    causes.push(`${what} for ${Math.round((now - since) / 1000)} s`);
  };
  for (const { group, status } of health.subscriptions) {
    if (!status) continue;
    check(status.handlingSince, `group ${group}: a handler has not returned`);
    if (status.handlingSince === null) check(status.aliveAt, `group ${group}: the log has not been asked`);
  }
  check(health.publishingSince, 'outbox: an attempt to publish has not ended');
  return causes;
}
