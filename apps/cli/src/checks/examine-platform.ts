import { topicDefinitions } from '@whale/contracts';
import { LogError, type EventLog } from '@whale/event-log';
import { describeError } from '@whale/kernel';
import { openLog } from '@whale/service-host';
import type { PlatformLocation } from '@whale/service-host/location';
import type { Finding } from './examine.ts';

/** Somebody waits for the findings. */
const PATIENCE_MS = 3_000;
/** Most names in one finding: more would not be read. */
const MOST_NAMED = 3;

/** Looks at the broker and the database of a location, where it names them; changes nothing there. */
export async function examinePlatform(
  location: PlatformLocation,
  environment: NodeJS.ProcessEnv,
): Promise<readonly Finding[]> {
  return [
    ...(location.log === null ? [] : await kafka(location, location.log, environment)),
    ...(location.database === null ? [] : [await postgres(location.database)]),
  ];
}

async function kafka(location: PlatformLocation, url: string, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const what = 'Kafka';
  let log: EventLog;
  try {
    log = await openLog(location, environment, { patienceMs: PATIENCE_MS });
  } catch (error) {
    // The message says what to do.
    return [{ what, state: 'missing', found: describeError(error).message }];
  }
  try {
    return [{ what, state: 'ok', found: `answers at ${url}` }, await topics(log, url)];
  } catch (error) {
    return [{ what, state: 'missing', found: describeError(error).message }];
  } finally {
    await log.close();
  }
}

async function topics(log: EventLog, url: string): Promise<Finding> {
  const what = 'topics';
  const missing: string[] = [];
  const refused: string[] = [];
  const names = topicDefinitions().map(({ name }) => name);
  for (const name of names) {
    try {
      await log.heads([name]);
    } catch (error) {
      const code = error instanceof LogError ? error.code : undefined;
      if (code === 'LOG_UNKNOWN_TOPIC') missing.push(name);
      else if (code === 'LOG_UNAUTHORIZED') refused.push(name);
      else throw error;
    }
  }
  if (refused.length > 0) {
    const remedy = `An administrator lets this user in with whale topics --apply-acls --log ${url}`;
    return { what, state: 'missing', found: `not for this user: ${listed(refused)}`, remedy };
  }
  if (missing.length > 0) {
    const remedy = `whale topics --apply --log ${url} creates them; so does the first service whose user may.`;
    return { what, state: 'warning', found: `not there yet: ${listed(missing)}`, remedy };
  }
  return { what, state: 'ok', found: `all ${names.length} are there` };
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

async function postgres(url: string): Promise<Finding> {
  const what = 'PostgreSQL';
  const { PostgresDatabase, READ_ONLY_REMEDY } = await import('@whale/service-kit');
  try {
    const database = await PostgresDatabase.open(url, { pool: 1 });
    try {
      const [row] = await database.ask({
        text: `SELECT current_setting('server_version') AS version, current_user AS "user",
          current_setting('transaction_read_only') AS readonly,
          has_database_privilege(current_database(), 'CREATE') AS creates,
          EXISTS (SELECT FROM pg_namespace WHERE nspname = 'whale_read') AS made`,
      });
      const { version, user, readonly, creates, made } = row as {
        version: string;
        user: string;
        readonly: 'on' | 'off';
        creates: boolean;
        made: boolean;
      };
      const found = `${version} at ${database.place}`;
      if (readonly === 'on') {
        return { what, state: 'missing', found: `${found} is read-only`, remedy: READ_ONLY_REMEDY };
      }
      if (creates || made) return { what, state: 'ok', found };
      const remedy = `Services make their schemas at the first start: GRANT CREATE ON DATABASE … TO "${user}".`;
      return { what, state: 'missing', found: `${found}, where ${user} may make no schema`, remedy };
    } finally {
      await database.close();
    }
  } catch (error) {
    // The message says what to do.
    return { what, state: 'missing', found: describeError(error).message };
  }
}
