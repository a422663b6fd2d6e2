import { startService, type Platform, type RunningService, type ServiceDefinition } from '@whale/service-kit';
import { startTelemetry } from '@whale/telemetry';
import type { ServiceLog } from '@whale/telemetry/logs';
import type { HealthApp } from './health/health-app.ts';
import { healthSettings, type HealthSettings } from './health/settings.ts';
import { platformLocation, type PlatformLocation } from './location.ts';
import { openPlatform, type OpenPlatform } from './platform.ts';

export interface ServiceProcessOptions {
  /** What the environment says by default. */
  location?: PlatformLocation | undefined;
  /** Where the health endpoints listen; WHALE_HEALTH_PORT by default, and no endpoints without either. */
  healthPort?: number | undefined;
}

/**
 * Runs services until SIGINT or SIGTERM; the production entry of each service. It says what it does on stderr, as JSON
 * lines unless that is a terminal. Throws InputError, EnvironmentError, LogError.
 */
export async function runServiceProcess(
  services: readonly ServiceDefinition[],
  options: ServiceProcessOptions = {},
): Promise<void> {
  const settings = healthSettings(process.env);
  const location = options.location ?? platformLocation({}, process.env);
  // Loaded here: what only looks at a platform does without.
  const { ServiceLog } = await import('@whale/telemetry/logs');
  const log = ServiceLog.open({ environment: process.env });
  const telemetry = await startTelemetry({
    services: services.map(({ name }) => name),
    onTrouble: (message) => log.say('warn', 'process', message),
  });
  try {
    const platform = await openPlatform(location, (service, message, fields) =>
      log.say('warn', service, message, fields),
    );
    const health = { ...settings, port: options.healthPort ?? settings.port };
    await new ServiceProcess({ services, platform, log, health }).run(location.log ?? platform.folder.log);
  } finally {
    await telemetry.stop();
  }
}

interface Parts {
  services: readonly ServiceDefinition[];
  platform: OpenPlatform;
  log: ServiceLog;
  health: HealthSettings;
}

class ServiceProcess {
  readonly #parts: Parts;
  readonly #running: RunningService[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `place` is where the log is, for people. */
  async run(place: string): Promise<void> {
    const { services, platform, log } = this.#parts;
    let endpoints: HealthApp | null = null;
    try {
      endpoints = await this.#openHealth();
      for (const service of services) {
        this.#running.push(await startService(service, this.#platform(), process.env));
        log.say('info', service.name, `running on ${place}`);
      }
      await untilSignal();
      log.say('info', 'process', 'stopping');
    } finally {
      for (let service = this.#running.pop(); service; service = this.#running.pop()) await service.stop();
      await endpoints?.close();
      await platform.close();
    }
  }

  #platform(): Platform {
    const { platform, log } = this.#parts;
    if (!log.shows('debug')) return platform;
    return { ...platform, onHandled: (service, outcome, fields) => log.say('debug', service, outcome, fields) };
  }

  /** Before the services start: one that takes long to start is alive and not ready. */
  async #openHealth(): Promise<HealthApp | null> {
    const { services, platform, log, health } = this.#parts;
    const { port, host, stuckMs } = health;
    if (port === null) return null;
    const { openHealthApp } = await import('./health/health-app.ts');
    const expected = services.map(({ name }) => name);
    const probes = { log: platform.log, clock: platform.clock, expected, running: this.#running, stuckMs };
    const app = await openHealthApp({ port, host }, probes);
    log.say('info', 'process', `health endpoints on ${host}:${app.port}`);
    return app;
  }
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
