import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { InputError } from '@whale/kernel';
import { whileUserCodeRuns } from '../checks/while-user-code-runs.ts';
import { EXIT } from '../errors.ts';
import { paint } from '../print/paint.ts';
import { print, printJson, sessionOf } from '../session.ts';
import { domainOption, type DomainOptions } from './domain-option.ts';

type HarnessOptions = DomainOptions & { domain: string };

export function harnessCommand(program: Command): void {
  const harness = program.command('harness').description('tools for harnesses');
  domainOption(
    harness
      .command('check')
      .argument('<file>', 'harness source, TypeScript')
      .description('checks a harness as a candidate is checked: size, parse, structure, types, a smoke run')
      .option('--domain <name>', 'domain whose tasks and tools it is for', 'search-qa'),
  )
    .addHelpText('after', '\nExample:\n  $ whale harness check my-harness.ts --domain search-qa\n')
    .action(async (file: string, options: HarnessOptions, command: Command) => {
      const session = sessionOf(command);
      const source = readSource(file);
      const { loadDomainFor } = await import('./domain-option.ts');
      const { checkCandidate } = await import('../checks/check-harness.ts');
      const result = await whileUserCodeRuns(`the domain ${options.domain}`, async () =>
        checkCandidate(source, await loadDomainFor(options.domain, options)),
      );
      if (session.json) printJson({ file, ...result });
      else {
        const colours = paint(process.stdout);
        if (result.ok) print(`${colours.green('✓')} ${file} is sound; its id is ${result.harnessId}`);
        else {
          for (const problem of [result, ...(result.more ?? [])]) {
            const where = [file, problem.line, problem.line === undefined ? undefined : problem.column]
              .filter((part) => part !== undefined)
              .join(':');
            print(`${colours.red('✗')} ${where}  ${result.stage}: ${problem.message}`);
            if (problem.hint) print(`    ${problem.hint}`);
          }
        }
      }
      if (!result.ok) process.exitCode = EXIT.badInput;
    });
}

function readSource(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InputError(`the harness ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
