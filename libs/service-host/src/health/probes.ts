import type { EventLog } from '@whale/event-log';
import type { Clock } from '@whale/kernel';
import type { RunningService } from '@whale/service-kit';

/** What the health endpoints ask. */
export interface Probes {
  log: Pick<EventLog, 'heads'>;
  clock: Clock;
  /** The services that the process is to run. */
  expected: readonly string[];
  /** Those that have started so far and have not been stopped. */
  running: readonly RunningService[];
  stuckMs: number;
}

/** Injection token. */
export const PROBES = Symbol('PROBES');
