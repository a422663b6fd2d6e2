import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { InputError } from '@whale/kernel';
import { DEFAULT_DATA, platformLocation, withoutPassword, type PlatformLocation } from '@whale/service-host/location';
import { oneLine } from './print/text.ts';

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
  if (options.data === '')
    throw new InputError('--data: expected a folder, found an empty text. Leave it out for .whale');
  const location = platformLocation(options, process.env);
  checkFolder(
    location.data,
    options.data !== undefined ? '--data' : process.env['WHALE_DATA'] ? 'WHALE_DATA' : 'data folder',
  );
  return {
    location,
    place: location.log ?? options.data ?? (process.env['WHALE_DATA'] || DEFAULT_DATA),
    flags: flagsOf(options),
    json: options.json === true,
  };
}

/** What is not there yet may be made; what is no folder, or lies below none, would give another error in each command. */
function checkFolder(data: string, from: string): void {
  try {
    if (statSync(data).isDirectory()) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') return;
  }
  throw new InputError(`${from}: ${data} is no folder, nor can be one: a file is in its place. Name a folder`);
}

/** What the environment says needs no flag: it says the same to the next command. */
function flagsOf({ data, log, database }: GlobalOptions): string {
  const flag = (name: string, value: string | undefined) => (value === undefined ? '' : ` --${name} ${quote(value)}`);
  return flag('data', data) + flag('log', log) + flag('database', database && withoutPassword(database));
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** What is passed over, for the operator. */
export function printTrouble(message: string): void {
  process.stderr.write(`${oneLine(message)}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** An argument as a shell takes it. */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
