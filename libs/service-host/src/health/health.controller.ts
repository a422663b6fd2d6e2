import { Controller, Get, Inject } from '@nestjs/common';
import { HealthCheck, HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { TOPIC_NAMES } from '@whale/contracts';
import { stuckBecause } from './liveness.ts';
import { PROBES, type Probes } from './probes.ts';

/** A log or a store that takes longer does not answer. */
const MOST_MS_TO_ANSWER = 3_000;

@Controller('health')
export class HealthController {
  readonly #health: HealthCheckService;
  readonly #indicators: HealthIndicatorService;
  readonly #probes: Probes;

  constructor(
    @Inject(HealthCheckService) health: HealthCheckService,
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(PROBES) probes: Probes,
  ) {
    this.#health = health;
    this.#indicators = indicators;
    this.#probes = probes;
  }

  /** 503 when a part is stuck for good: the process is to be started anew. */
  @Get('live')
  @HealthCheck()
  live() {
    const { running, clock, stuckMs } = this.#probes;
    return this.#health.check(
      running.map((service) => (): HealthIndicatorResult => {
        const indicator = this.#indicators.check(service.name);
        const causes = stuckBecause(service.health(), clock.now(), stuckMs);
        return causes.length === 0 ? indicator.up() : indicator.down({ message: causes.join('; ') });
      }),
    );
  }

  /** 503 while something that the services need is not there, or they have not all started. */
  @Get('ready')
  @HealthCheck()
  ready() {
    const { log, expected, running } = this.#probes;
    const answers = (key: string, ask: () => Promise<unknown>) => () =>
      this.#indicators
        .check(key)
        .attempt(async () => void (await ask()))
        .withTimeout(MOST_MS_TO_ANSWER);
    return this.#health.check([
      answers('log', () => log.heads(TOPIC_NAMES)),
      ...expected.map((name) => () => this.#started(name)),
      ...running.map((service) => answers(`${service.name}.store`, () => service.checkStore())),
    ]);
  }

  #started(name: string): HealthIndicatorResult {
    const indicator = this.#indicators.check(name);
    const service = this.#probes.running.find((one) => one.name === name);
    if (!service) return indicator.down({ message: 'has not started' });
    const silent = service.health().subscriptions.filter(({ status }) => status === null);
    if (silent.length === 0) return indicator.up();
    return indicator.down({ message: `does not listen: ${silent.map(({ group }) => group).join(', ')}` });
  }
}
