import type { Command } from 'commander';
import { DEFAULT_DATA, platformLocation, withoutPassword, type PlatformLocation } from '@whale/service-host/location';

/** What every command knows of the command line. */
export interface Session {
  location: PlatformLocation;
  /** Where experiments are looked for, as a person knows it: the folder as given, or the log's URL. */
  place: string;
  /** The part of a command line that names the same place, for a person to copy; empty for the default. */
  flags: string;
  json: boolean;
}

interface GlobalOptions {
  data?: string;
  log?: string;
  database?: string;
  json?: boolean;
}

/** Throws InputError for a location that cannot be. */
export function sessionOf(command: Command): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  const location = platformLocation(options, process.env);
  return {
    location,
    place: location.log ?? options.data ?? (process.env['WHALE_DATA'] || DEFAULT_DATA),
    flags: flagsOf(options),
    json: options.json === true,
  };
}

/** What the environment says needs no flag: it says the same to the next command. */
function flagsOf({ data, log, database }: GlobalOptions): string {
  const flag = (name: string, value: string | undefined) => (value === undefined ? '' : ` --${name} ${quote(value)}`);
  return flag('data', data) + flag('log', log) + flag('database', database && withoutPassword(database));
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** An argument as a shell takes it. */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
