import { SqliteEventLog, type SqliteEventLogOptions } from '../sqlite-event-log.ts';

/** For members in processes of their own: `argument` is the JSON of the options. */
export function openLog(argument: string): Promise<SqliteEventLog> {
  return SqliteEventLog.open(JSON.parse(argument) as SqliteEventLogOptions);
}
