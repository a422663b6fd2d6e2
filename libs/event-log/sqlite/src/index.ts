export { SqliteEventLog, type SqliteEventLogOptions } from './sqlite-event-log.ts';
export { murmur2, partitionForKey } from './partitioner.ts';
