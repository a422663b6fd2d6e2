import { WhaleError } from '@whale/kernel';

/**
 * The log port. Invariants, each named by a test of the contract suite:
 * L1 Records of one key keep their order: a key always falls into the same partition, a partition is a sequence.
 * L2 `append` is durable when it returns, and offsets rise by at least 1 within a partition. What is rejected before it
 *    is sent (an unknown topic, a closed log) has written nothing. The records that one append has for one partition
 *    come in order and without gaps, and whole where they fit into one batch of the log. A crash, a lost log or a
 *    record that is too large may leave a beginning of them, and those of some partitions only: the writer appends
 *    again, readers drop doubles by event id.
 * L3 A group sees each record at least once; what it has not yet checkpointed comes again after a crash.
 * L4 Groups do not influence each other.
 * L5 A partition has at most one live consumer within a group, also across processes.
 * L6 A partition whose handler fails does not hold up the other partitions of the subscription.
 */
export interface EventLog {
  append(records: readonly AppendRecord[]): Promise<void>;
  subscribe(options: SubscribeOptions): Promise<Subscription>;
  /** Records of one partition from `from` (inclusive) to `to` (exclusive; default: the head when the call is made). */
  read(range: ReadRange): AsyncIterable<LogRecord>;
  /** For each partition of the topics the offset that the next record will get at the earliest (0 when empty). */
  heads(topics: readonly string[]): Promise<Position[]>;
  /** Creates what is missing. More partitions than defined is accepted, fewer is an error. */
  ensureTopics(topics: readonly TopicDefinition[]): Promise<void>;
  close(): Promise<void>;
}

export interface TopicDefinition {
  name: string;
  partitions: number;
  /** How long records are kept, ms; -1 for ever. The log's default when absent. Ignored by the embedded log. */
  retentionMs?: number;
  /** Copies over brokers; the log's default when absent or -1. Ignored by the embedded log. */
  replicationFactor?: number;
}

export interface TopicPartition {
  topic: string;
  partition: number;
}

export interface Position extends TopicPartition {
  offset: number;
}

/** A message as it lies on the log: CloudEvents binary mode, attributes in `headers`, JSON text in `value`. */
export interface AppendRecord {
  topic: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}

export interface LogRecord extends AppendRecord, Position {
  /** When the log took the record, ms since epoch. For people; never for decisions. */
  timestamp: number;
}

export interface ReadRange extends TopicPartition {
  from: number;
  to?: number;
}

export interface RecordBatch extends TopicPartition {
  records: readonly LogRecord[];
  /** Offset to checkpoint once all records of the batch are done: last offset + 1. */
  nextOffset: number;
}

export interface SubscribeOptions {
  /** Consumer group: members share the partitions. */
  group: string;
  topics: readonly string[];
  /**
   * Where to begin a partition, asked each time it is assigned to this member: the checkpoint that the service keeps
   * with its state. Undefined begins at the start of the log.
   */
  checkpoint: (partition: TopicPartition) => number | undefined | Promise<number | undefined>;
  /**
   * Batches of one subscription come one after the other. The handler commits its own checkpoint together with its
   * effects; when it rejects, the same records are delivered again after a back-off.
   */
  onBatch: (batch: RecordBatch) => Promise<void>;
  /**
   * The partition is no longer held (it goes to another member, or the subscription stops): drop what is held for it.
   * Once for each assignment, never while `onBatch` runs for the same partition.
   */
  onRevoked?: (partition: TopicPartition) => void | Promise<void>;
  /**
   * Told of each failed delivery; the subscription goes on. Told also, once for each reason and with partition -1, of
   * what keeps the subscription as a whole from working; and of records that were deleted before they were read
   * (`LOG_TRUNCATED`).
   */
  onError?: (error: unknown, batch: TopicPartition) => void;
  maxBatchRecords?: number;
}

export interface Subscription {
  /** Resolves when no handler runs any more; so a handler must not wait for it. */
  stop(): Promise<void>;
  /** Partitions held at the moment. */
  assigned(): readonly TopicPartition[];
  /** How it is doing, from what it knows already: costs nothing and never fails. */
  status(): SubscriptionStatus;
}

/** For liveness probes and lag metrics. */
export interface SubscriptionStatus {
  /**
   * Last sign of life, ms since epoch: a poll that returned, even an empty one, a batch that ended, or a try to reach a
   * log that is away.
   */
  aliveAt: number;
  /** Since when the handler at work runs, ms since epoch; null when none does. */
  handlingSince: number | null;
  /** The partitions held at the moment. */
  partitions: readonly PartitionStatus[];
}

/** The lag is `head - nextOffset`, unknown while one of them is. */
export interface PartitionStatus extends TopicPartition {
  /** Offset after the last record that was handled; undefined until the checkpoint has been asked for. */
  nextOffset: number | undefined;
  /** The head as last seen; undefined until it has been. */
  head: number | undefined;
}

export type LogErrorCode =
  | 'LOG_FULL'
  | 'LOG_READONLY'
  | 'LOG_CORRUPT'
  | 'LOG_BUSY'
  | 'LOG_CLOSED'
  | 'LOG_UNKNOWN_TOPIC'
  /** A definition that cannot be had: a bad name, a bad count, more partitions than the existing topic has. */
  | 'LOG_TOPIC_INVALID'
  /** A record larger than the log takes. */
  | 'LOG_RECORD_TOO_LARGE'
  /** The log cannot be reached at the moment. */
  | 'LOG_UNAVAILABLE'
  /** Records were deleted before this group had read them; the partition goes on after them. */
  | 'LOG_TRUNCATED'
  /** The log knows who asks and says no, or does not know who asks. */
  | 'LOG_UNAUTHORIZED'
  | 'LOG_IO';

export class LogError extends WhaleError {
  declare readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'LogError';
  }
}
