import type { Type, DynamicModule, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { BlobStore } from '@whale/blob-store';
import { topicDefinitions, type EventDefinition, type ServiceName } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import type { Clock } from '@whale/kernel';
import type { Projection } from './projection/projection.ts';
import { Projector } from './projection/projector.ts';
import type { ReadModels } from './projection/read-models.ts';
import { stopAll } from './stop-all.ts';
import type { ServiceStore } from './store/service-store.ts';
import { Emitter } from './transport/emitter.ts';
import { EventLogServer } from './transport/event-log-server.ts';
import { KeepOriginalError } from './transport/keep-original-error.ts';
import { OutboxRelay } from './transport/relay.ts';
import { WORK_HANDLERS } from './work/tokens.ts';
import { WorkRunner, type WorkHandler } from './work/work-runner.ts';

/** What a service consumes and emits, as data: the one-writer rule and the broker ACLs come from it. */
export interface Subscriptions {
  consumes: readonly EventDefinition[];
  emits: readonly EventDefinition[];
}

/** What every service is given by the process that hosts it. */
export interface Platform {
  log: EventLog;
  blobs: BlobStore;
  clock: Clock;
  store: (service: ServiceName) => ServiceStore;
  /** Where projections keep their tables; a platform without them has no read models. */
  readModels?: ReadModels;
  /** A line for the operator: something waits, was parked or failed. */
  onTrouble: (service: ServiceName, message: string) => void;
}

export interface ServiceDefinition<Config = unknown> {
  name: ServiceName;
  subscriptions: Subscriptions;
  /** The tables of the service's read model; they follow the log in a consumer group of their own. */
  projections?: readonly Projection[];
  /** Parses the environment; the only reader of it. Throws InputError. */
  config(environment: NodeJS.ProcessEnv): Config;
  /** The Nest module; the only place where adapters are named. */
  module(platform: Platform & { serviceStore: ServiceStore }, config: Config): DynamicModule | Promise<DynamicModule>;
}

export interface RunningService {
  name: ServiceName;
  stop(): Promise<void>;
}

/** Starts one service as a Nest microservice on the log. It runs until `stop`. */
export async function startService<Config>(
  definition: ServiceDefinition<Config>,
  platform: Platform,
  environment: NodeJS.ProcessEnv,
): Promise<RunningService> {
  const { name, subscriptions } = definition;
  const { log, blobs, clock } = platform;
  const config = definition.config(environment);
  const store = platform.store(name);
  const onTrouble = (message: string) => platform.onTrouble(name, message);
  await log.ensureTopics(topicDefinitions());
  const emitter = new Emitter({ service: name, emits: subscriptions.emits, blobs, clock });
  const relay = new OutboxRelay(store, log, onTrouble);
  let runner: WorkRunner | null = null;
  const strategy = new EventLogServer({
    service: name,
    consumes: subscriptions.consumes,
    log,
    store,
    blobs,
    emitter,
    relay,
    workRunner: () => runner,
    onTrouble,
  });
  const module = await definition.module({ ...platform, serviceStore: store }, config);
  const app: INestMicroservice = await NestFactory.createMicroservice(module as unknown as Type, {
    strategy,
    logger: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new KeepOriginalError());
  const handlers = app.get<readonly WorkHandler[]>(WORK_HANDLERS, { strict: false });
  if (handlers.length > 0) runner = new WorkRunner({ store, emitter, relay, clock, handlers, onTrouble });
  let projector: Projector | null;
  try {
    await app.listen();
    projector = await startProjector(definition, platform);
  } catch (error) {
    await app.close().catch(() => undefined);
    await store.close();
    throw error;
  }
  return {
    name,
    // The projector after the relay, which may have published the last events only now.
    stop: () => stopAll(onTrouble, [() => app.close(), () => projector?.stop(), () => store.close()]),
  };
}

async function startProjector(
  { name, projections = [] }: Pick<ServiceDefinition, 'name' | 'projections'>,
  platform: Platform,
): Promise<Projector | null> {
  const { readModels } = platform;
  if (projections.length === 0 || !readModels) return null;
  const onTrouble = (message: string) => platform.onTrouble(name, message);
  const projector = new Projector({ ...platform, service: name, projections, readModels, onTrouble });
  await projector.start();
  return projector;
}
