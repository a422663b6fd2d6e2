import { Child } from './child.ts';
import type { ConsumerChildMessage } from './consumer-child.ts';
import type { LogHarness } from './harness.ts';

/** Starts a member of a group in a process of its own. It has no checkpoints: what it is given it sees from the start. */
export function consumerProcess(log: LogHarness['child'], group: string, topic: string): Child<ConsumerChildMessage> {
  const module = new URL('./consumer-child.ts', import.meta.url);
  return new Child(module, [log.module.href, log.argument, group, topic]);
}
