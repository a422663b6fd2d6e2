import type { Command } from 'commander';
import type { Domain } from '@whale/domain-api';
import { InputError } from '@whale/kernel';

export interface DomainOptions {
  dataset: string;
  option?: string[];
}

/** Adds what names a domain's data on the command line. */
export function domainOption(command: Command): Command {
  return command
    .option('--dataset <name>', 'data set of the domain', 'atlas')
    .option('--option <key=value>', 'option of the data set, e.g. test=20; may be repeated', collect);
}

/** Throws InputError. */
export async function loadDomainFor(name: string, { dataset, option = [] }: DomainOptions): Promise<Domain> {
  const { parseYaml, YamlProblem } = await import('../yaml.ts');
  const options: Record<string, never> = {};
  for (const text of option) {
    const at = text.indexOf('=');
    if (at <= 0) throw new InputError(`--option ${text}: expected key=value, e.g. --option test=20`);
    try {
      options[text.slice(0, at)] = parseYaml(text.slice(at + 1)) as never;
    } catch (cause) {
      if (!(cause instanceof YamlProblem)) throw cause;
      throw new InputError(`--option ${text}: the value is not YAML: ${cause.message}`, { cause });
    }
  }
  const { loadDomain } = await import('@whale/domain-loader');
  return loadDomain({ name, dataset, options });
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
