import { InvalidArgumentError, type Command } from 'commander';
import { serviceNames } from '../services.ts';
import { sessionOf } from '../session.ts';

export function servicesCommand(program: Command): void {
  program
    .command('services')
    .argument('[name...]', 'rollout, trainer-gateway, verifier, proposer, archive, scheduler; default all')
    .description('runs services until stopped: the production entry')
    .option('--health-port <port>', 'answers GET /health/live and /health/ready there (WHALE_HEALTH_PORT)', port)
    .addHelpText('after', '\nExample:\n  $ whale services rollout verifier --data /srv/whale\n')
    .action(async (given: string[], { healthPort }: { healthPort?: number }, command: Command) => {
      const { location } = sessionOf(command);
      const names = serviceNames(given);
      const { loadServices } = await import('../services.ts');
      const { runServiceProcess } = await import('@whale/service-host');
      const { Interrupt } = await import('../run/interrupt.ts');
      // The process stops itself at the first signal; this keeps the second from ending it half-way.
      new Interrupt(() => undefined);
      await runServiceProcess(await loadServices(names), { location, healthPort });
      // Worker threads or sockets that a library left open must not keep a stopped process alive.
      process.exit(0);
    });
}

function port(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= 65_535) return number;
  throw new InvalidArgumentError('a port is a number from 0 to 65535');
}
