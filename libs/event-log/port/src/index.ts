export {
  LogError,
  type AppendRecord,
  type EventLog,
  type LogErrorCode,
  type LogRecord,
  type PartitionStatus,
  type Position,
  type ReadRange,
  type RecordBatch,
  type Subscription,
  type SubscribeOptions,
  type SubscriptionStatus,
  type TopicDefinition,
  type TopicPartition,
} from './event-log.ts';
export { backOffMs, checkCheckpoint, DEFAULT_BACK_OFF, type BackOff } from './delivery.ts';
export { murmur2, partitionForKey } from './partitioner.ts';
export { checkTopicDefinition } from './topic-definition.ts';
