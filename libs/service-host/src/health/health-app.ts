import 'reflect-metadata';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { TerminusModule } from '@nestjs/terminus';
import { EnvironmentError } from '@whale/kernel';
import type { AddressInfo } from 'node:net';
import { HealthController } from './health.controller.ts';
import { PROBES, type Probes } from './probes.ts';

@Module({})
class HealthModule {}

export interface HealthApp {
  port: number;
  close(): Promise<void>;
}

/** `GET /health/live` and `/health/ready`. Throws EnvironmentError where the port cannot be had. */
export async function openHealthApp(at: { port: number; host: string }, probes: Probes): Promise<HealthApp> {
  const module: DynamicModule = {
    module: HealthModule,
    imports: [TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    providers: [{ provide: PROBES, useValue: probes }],
  };
  const app = await NestFactory.create<NestExpressApplication>(module as unknown as Type, {
    logger: false,
    abortOnError: false,
    // A probe that keeps its connection must not keep the process.
    forceCloseConnections: true,
  });
  app.disable('x-powered-by');
  try {
    await app.listen(at.port, at.host);
  } catch (cause) {
    await app.close();
    throw new EnvironmentError(
      `the health endpoints cannot listen on ${at.host}:${at.port}: ${(cause as Error).message}. ` +
        'Choose another port with WHALE_HEALTH_PORT or --health-port.',
      { cause },
    );
  }
  return { port: (app.getHttpServer().address() as AddressInfo).port, close: () => app.close() };
}
