export { SqliteEventLog, type SqliteEventLogOptions } from './sqlite-event-log.ts';
