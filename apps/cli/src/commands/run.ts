import { InvalidArgumentError, type Command } from 'commander';
import { quote, sessionOf } from '../session.ts';

export interface RunOptions {
  set?: string[];
  detach?: boolean;
  services?: string[];
}

export function runCommand(program: Command): void {
  program
    .command('run')
    .argument('<spec>', 'experiment spec, YAML or JSON')
    .description('runs an experiment to its result; the same command goes on with an interrupted one')
    .option('--set <path=value>', 'changes the spec, e.g. strategy.cycles=3; may be repeated', collect)
    .option('--detach', 'only submits the experiment, for services that run elsewhere')
    .option('--services <names>', 'hosts only these services in this process, separated by commas', list)
    .addHelpText('after', '\nExample:\n  $ whale run examples/atlas.yaml --set seed=2\n')
    .action(async (spec: string, options: RunOptions, command: Command) => {
      const session = sessionOf(command);
      const sets = (options.set ?? []).map((change) => ` --set ${quote(change)}`).join('');
      const services = options.services ? ` --services ${options.services.join(',')}` : '';
      const again = `npx whale run ${quote(spec)}${sets}${services}${session.flags}`;
      const { runExperiment } = await import('../run/run-experiment.ts');
      process.exitCode = await runExperiment({ specFile: spec, options, session, again });
    });
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function list(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw new InvalidArgumentError('expected names separated by commas');
  return names;
}
