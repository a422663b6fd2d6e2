import type { BackOff, EventLog } from '@whale/event-log';

/** What an adapter brings to the contract suite. The suite makes its own topics, so one log serves all tests. */
export interface LogHarness {
  /** One more connection to the same log, as another service or process would have it. The suite closes it. */
  open(options: { backOff?: BackOff }): Promise<EventLog>;
  /** For members in processes of their own: a module with `export function openLog(argument: string): Promise<EventLog>`. */
  child: { module: URL; argument: string };
  /** Ms within which a change of a group's members (join, stop, death) must have settled. The only leave there is. */
  settleMs: number;
  dispose(): Promise<void>;
}
