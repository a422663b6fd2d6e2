export {
  LogError,
  type AppendRecord,
  type EventLog,
  type LogRecord,
  type Position,
  type ReadRange,
  type RecordBatch,
  type Subscription,
  type SubscribeOptions,
  type TopicDefinition,
  type TopicPartition,
} from './event-log.ts';
