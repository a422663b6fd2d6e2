export {
  startService,
  type Platform,
  type RunningService,
  type ServiceDefinition,
  type Subscriptions,
} from './service.ts';
export { OnEvent, type Delivery, type Reaction } from './transport/on-event.ts';
export { BatchReactor } from './transport/batch-reactor.ts';
export { Emitter } from './transport/emitter.ts';
export { OutboxRelay } from './transport/relay.ts';
export { WorkRunner, type WorkHandler, type WorkResult } from './work/work-runner.ts';
export type { WorkProgress } from './work/progress.ts';
export { WORK_HANDLERS } from './work/tokens.ts';
export { PostgresDatabase, type PostgresOptions } from './store/postgres-database.ts';
export { READ_ONLY_REMEDY } from './store/postgres-schema.ts';
export { postgresOptions } from './store/postgres-options.ts';
export { PostgresServiceStore } from './store/postgres-store.ts';
export { SqliteServiceStore } from './store/sqlite-store.ts';
export { StoreError } from './store/errors.ts';
export {
  type DeferredWork,
  type HeldWork,
  type NewWork,
  type OutboxRecord,
  type ServiceStore,
  type StoredDocument,
  type UnitOfWork,
  type WorkClaim,
  type WorkItem,
} from './store/service-store.ts';
export { followDecider, stateKey } from './decider-reactor.ts';
export { projection, type Projection } from './projection/projection.ts';
export {
  addColumns,
  createTable,
  flag,
  integer,
  json,
  readTable,
  real,
  text,
  type Change,
  type Migration,
  type ReadTable,
} from './projection/read-table.ts';
export { applyEvents } from './projection/apply.ts';
export { readCheckpoints, replaceCheckpoints } from './projection/checkpoints.ts';
export { projectionGroup, Projector } from './projection/projector.ts';
export { ReadModels, type ReadModelOptions } from './projection/read-models.ts';
export type { ServiceHealth } from './telemetry/standing.ts';
export { closing } from './closing.ts';
export { parseEnvironment } from './environment.ts';
