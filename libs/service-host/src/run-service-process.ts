import { startService, type RunningService, type ServiceDefinition } from '@whale/service-kit';
import { openPlatform } from './platform.ts';

/** Runs services until SIGINT or SIGTERM; the production entry of each service. */
export async function runServiceProcess(
  services: readonly ServiceDefinition[],
  options: { data?: string; print?: (line: string) => void } = {},
): Promise<void> {
  const print = options.print ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const platform = await openPlatform(options.data ?? process.env['WHALE_DATA'] ?? '.whale', (service, message) =>
    print(`${service}: ${message}`),
  );
  const running: RunningService[] = [];
  try {
    for (const service of services) {
      running.push(await startService(service, platform, process.env));
      print(`${service.name}: running on ${platform.folder.log}`);
    }
    await untilSignal();
    print('stopping');
  } finally {
    for (const service of running.reverse()) await service.stop();
    await platform.close();
  }
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
