import type { Command } from 'commander';
import { serviceNames } from '../services.ts';
import { print, sessionOf } from '../session.ts';

export function servicesCommand(program: Command): void {
  program
    .command('services')
    .argument('[name...]', 'rollout, trainer-gateway, verifier, proposer, archive, scheduler; default all')
    .description('runs services until stopped: the production entry')
    .addHelpText('after', '\nExample:\n  $ whale services rollout verifier --data /srv/whale\n')
    .action(async (given: string[], _options, command: Command) => {
      const { data } = sessionOf(command);
      const names = serviceNames(given);
      const { loadServices } = await import('../services.ts');
      const { runServiceProcess } = await import('@whale/service-host');
      const { Interrupt } = await import('../run/interrupt.ts');
      // The process stops itself at the first signal; this keeps the second from ending it half-way.
      new Interrupt(() => undefined);
      await runServiceProcess(await loadServices(names), { data, print });
      // Worker threads or sockets that a library left open must not keep a stopped process alive.
      process.exit(0);
    });
}
