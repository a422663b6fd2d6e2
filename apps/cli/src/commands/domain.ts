import type { Command } from 'commander';
import type { DomainCheck } from '../checks/check-domain.ts';
import { whileUserCodeRuns } from '../checks/while-user-code-runs.ts';
import { EXIT } from '../errors.ts';
import { paint } from '../print/paint.ts';
import { print, printJson, sessionOf } from '../session.ts';
import { domainOption, type DomainOptions } from './domain-option.ts';

export function domainCommand(program: Command): void {
  const domain = program.command('domain').description('tools for domains');
  domainOption(
    domain
      .command('check')
      .argument('<path|name>', 'module path (./my-domain.ts) or a built-in domain: search-qa')
      .description('loads a domain and tries its promises: splits, gold answers, tools, components'),
  )
    .addHelpText('after', '\nExample:\n  $ whale domain check search-qa --dataset atlas\n')
    .action(async (name: string, options: DomainOptions, command: Command) => {
      const session = sessionOf(command);
      const { loadDomainFor } = await import('./domain-option.ts');
      const { checkDomain } = await import('../checks/check-domain.ts');
      const colours = paint(process.stdout);
      const checks: DomainCheck[] = [];
      await whileUserCodeRuns(`the domain ${name}`, async () => {
        for await (const check of checkDomain(await loadDomainFor(name, options))) {
          checks.push(check);
          if (session.json) continue;
          print(`${check.ok ? colours.green('✓') : colours.red('✗')} ${check.title}`);
          for (const line of check.details) print(`    ${line}`);
        }
      });
      const failed = checks.filter((check) => !check.ok);
      if (session.json) printJson({ domain: name, ok: failed.length === 0, checks });
      else print(failed.length === 0 ? `${name} is sound` : `${failed.length} of ${checks.length} checks failed`);
      if (failed.length > 0) process.exitCode = EXIT.badInput;
    });
}
