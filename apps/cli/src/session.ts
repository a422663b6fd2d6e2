import { resolve } from 'node:path';
import type { Command } from 'commander';

/** What every command knows of the command line. */
export interface Session {
  /** As given: for sentences that tell a person what to type. */
  dataArgument: string;
  /** Absolute. */
  data: string;
  json: boolean;
}

export function sessionOf(command: Command): Session {
  const { data, json } = command.optsWithGlobals<{ data: string; json?: boolean }>();
  return { dataArgument: data, data: resolve(data), json: json === true };
}

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** The `--data` part of a command line that a person may copy; empty for the default. */
export function dataFlag({ dataArgument }: Session): string {
  return dataArgument === '.whale' ? '' : ` --data ${quote(dataArgument)}`;
}

/** An argument as a shell takes it. */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
