export { eventLogContract } from './contract.ts';
export type { LogHarness } from './harness.ts';
export { Child } from './child.ts';
export { Consumer } from './consumer.ts';
export { collect, keyPerPartition, readAll, record } from './fixture.ts';
