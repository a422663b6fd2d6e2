export { eventLogContract } from './contract.ts';
export type { LogHarness } from './harness.ts';
export { Child } from './child.ts';
export { Consumer } from './consumer.ts';
export { consumerProcess } from './consumer-process.ts';
export type { ConsumerChildMessage } from './consumer-child.ts';
export { collect, keyPerPartition, readAll, record } from './fixture.ts';
