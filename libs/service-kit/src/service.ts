import type { Type, DynamicModule, INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { BlobStore } from '@whale/blob-store';
import { topicDefinitions, type EventDefinition, type ServiceName } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import type { Clock } from '@whale/kernel';
import type { EventOutcome, ReportFields } from '@whale/telemetry';
import { standingOf, type ServiceHealth } from './telemetry/standing.ts';
import { ServiceTelemetry, type Tell } from './telemetry/service-telemetry.ts';
import type { Projection } from './projection/projection.ts';
import { projectionGroup, Projector } from './projection/projector.ts';
import type { ReadModels } from './projection/read-models.ts';
import { stopAll } from './stop-all.ts';
import type { ServiceStore } from './store/service-store.ts';
import { Emitter } from './transport/emitter.ts';
import { checkLog } from './transport/log-check.ts';
import { EventLogServer } from './transport/event-log-server.ts';
import { KeepOriginalError } from './transport/keep-original-error.ts';
import { OutboxRelay } from './transport/relay.ts';
import { WORK_HANDLERS } from './work/tokens.ts';
import { WorkRunner, type WorkHandler } from './work/work-runner.ts';

/** What a service consumes and emits, as data: the one-writer rule and the broker ACLs come from it. */
export interface Subscriptions {
  consumes: readonly EventDefinition[];
  emits: readonly EventDefinition[];
  /** What it looks up on the log besides, from the beginning and in no consumer group. */
  reads?: readonly EventDefinition[];
}

/** What every service is given by the process that hosts it. */
export interface Platform {
  log: EventLog;
  blobs: BlobStore;
  clock: Clock;
  store: (service: ServiceName) => ServiceStore;
  /** Where projections keep their tables; a platform without them has no read models. */
  readModels?: ReadModels;
  /** A line for the operator: something waits, was parked or failed; and what it is about. */
  onTrouble: (service: ServiceName, message: string, fields?: ReportFields) => void;
  /** Told of each event that a service has handled; for detailed logs. */
  onHandled?: (service: ServiceName, outcome: EventOutcome, fields: ReportFields) => void;
  /** What traces call the log: OpenTelemetry's `messaging.system`. */
  messagingSystem?: string;
  /** The log by a name that stays when its brokers or its folder move; stores remember it and follow no other. */
  logName: string;
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
  /** How it is doing, from what it knows already: costs nothing and never fails. */
  health(): ServiceHealth;
  /** Rejects when its store does not answer. */
  checkStore(): Promise<void>;
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
  const onTrouble: Tell = (message, fields) => platform.onTrouble(name, message, fields);
  await log.ensureTopics(topicDefinitions());
  try {
    const topics = subscriptions.consumes.map(({ topic }) => topic);
    await checkLog(log, platform.logName, store, topics);
  } catch (error) {
    await store.close();
    throw error;
  }
  const telemetry = telemetryOf(name, platform);
  const emitter = new Emitter({ service: name, emits: subscriptions.emits, blobs, clock });
  const relay = new OutboxRelay(store, log, clock, onTrouble);
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
    telemetry,
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
  if (handlers.length > 0) {
    runner = new WorkRunner({ store, emitter, relay, clock, handlers, telemetry, onTrouble });
  }
  let projector: Projector | null;
  try {
    await app.listen();
    projector = await startProjector(definition, platform);
  } catch (error) {
    await app.close().catch(() => undefined);
    await store.close();
    throw error;
  }
  const health = (): ServiceHealth => ({
    subscriptions: [
      { group: name, subscription: strategy.subscription },
      ...(projector ? [{ group: projectionGroup(name), subscription: projector.subscription }] : []),
    ].map(({ group, subscription }) => ({ group, status: subscription?.status() ?? null })),
    publishingSince: relay.publishingSince,
    lost: (store.lost ?? platform.readModels?.lost)?.message ?? null,
  });
  const unwatch = telemetry.metrics.watch(() => standingOf(health(), runner, store));
  return {
    name,
    health,
    checkStore: async () => void (await store.seen([])),
    // The projector after the relay, which may have published the last events only now.
    stop: () =>
      stopAll(onTrouble, [async () => unwatch(), () => app.close(), () => projector?.stop(), () => store.close()]),
  };
}

function telemetryOf(service: ServiceName, platform: Platform): ServiceTelemetry {
  const { messagingSystem, clock, onHandled } = platform;
  return new ServiceTelemetry({
    service,
    messagingSystem,
    clock,
    onHandled: onHandled && ((outcome, fields) => onHandled(service, outcome, fields)),
  });
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
