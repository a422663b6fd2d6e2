import { resolve } from 'node:path';
import { InputError } from '@whale/kernel';

/** Where an installation keeps its log, its state and its blobs. */
export interface PlatformLocation {
  /** Absolute folder: blobs and reports, and whatever the two below leave to it. */
  data: string;
  /** `kafka://host:port,…` or `kafkas://…` (TLS); null is the embedded log in the data folder. */
  log: string | null;
  /** `postgres://…` for the services' state and the read models; null keeps them as files in the data folder. */
  database: string | null;
}

export interface GivenLocation {
  data?: string | undefined;
  log?: string | undefined;
  database?: string | undefined;
}

export const DEFAULT_DATA = '.whale';

/** Everything in one folder. */
export function embedded(data: string): PlatformLocation {
  return { data: resolve(data), log: null, database: null };
}

/** What was given, else what WHALE_DATA, WHALE_LOG and WHALE_DATABASE say, else the embedded default. Throws InputError. */
export function platformLocation(given: GivenLocation, environment: NodeJS.ProcessEnv): PlatformLocation {
  const chosen = (flag: string, variable: string, value: string | undefined): { from: string; text: string | null } => {
    if (value !== undefined) return { from: flag, text: value };
    return { from: variable, text: environment[variable] || null };
  };
  const log = chosen('--log', 'WHALE_LOG', given.log);
  const database = chosen('--database', 'WHALE_DATABASE', given.database);
  check(log, ['kafka:', 'kafkas:'], 'kafka://host:port, or kafkas://host:port for TLS');
  check(database, ['postgres:', 'postgresql:'], 'postgres://user@host:port/database');
  return {
    data: resolve(given.data ?? (environment['WHALE_DATA'] || DEFAULT_DATA)),
    log: log.text,
    database: database.text,
  };
}

function check({ from, text }: { from: string; text: string | null }, schemes: readonly string[], expected: string) {
  if (text === null || schemes.some((scheme) => text.startsWith(`${scheme}//`))) return;
  throw new InputError(`${from}: ${JSON.stringify(withoutPassword(text))} is not ${expected}. Leave it out for files.`);
}

/** A URL as it may be shown to people, also where the password holds what should be encoded. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@]*):.*@/su, '$1:…@');
}
