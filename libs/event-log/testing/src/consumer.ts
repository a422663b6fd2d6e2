import type {
  EventLog,
  LogRecord,
  RecordBatch,
  SubscribeOptions,
  Subscription,
  SubscriptionStatus,
  TopicPartition,
} from '@whale/event-log';

/** A consumer as a service is one: it keeps its own checkpoints, and remembers all that happened to it. */
export class Consumer {
  readonly checkpoints: Map<number, number>;
  readonly records: LogRecord[] = [];
  readonly batches: RecordBatch[] = [];
  readonly revoked: TopicPartition[] = [];
  readonly errors: { error: unknown; partition: number }[] = [];
  /** Partitions for which the checkpoint was asked, in order. */
  readonly asked: number[] = [];
  /** The most handlers that ever ran at the same time. */
  mostAtOnce = 0;
  #atOnce = 0;
  #subscription: Subscription | undefined;

  /** `checkpoints`: given by a test that lets a consumer begin where another one ended. */
  constructor(checkpoints: ReadonlyMap<number, number> = new Map()) {
    this.checkpoints = new Map(checkpoints);
  }

  /** Runs before a batch is remembered and its checkpoint is kept; rejecting it fails the delivery. */
  handler: (batch: RecordBatch) => Promise<void> = async () => {};

  async start(log: EventLog, group: string, topic: string, extra: Partial<SubscribeOptions> = {}): Promise<this> {
    this.#subscription = await log.subscribe({
      group,
      topics: [topic],
      checkpoint: ({ partition }) => {
        this.asked.push(partition);
        return this.checkpoints.get(partition);
      },
      onBatch: (batch) => this.#take(batch),
      onRevoked: (partition) => void this.revoked.push(partition),
      onError: (error, { partition }) => void this.errors.push({ error, partition }),
      ...extra,
    });
    return this;
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
  }

  get assigned(): number[] {
    return (this.#subscription?.assigned() ?? []).map(({ partition }) => partition).sort((a, b) => a - b);
  }

  get status(): SubscriptionStatus {
    if (this.#subscription === undefined) throw new Error('not started');
    return this.#subscription.status();
  }

  get values(): string[] {
    return this.records.map((record) => record.value);
  }

  async #take(batch: RecordBatch): Promise<void> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
    try {
      this.batches.push(batch);
      await this.handler(batch);
      this.records.push(...batch.records);
      this.checkpoints.set(batch.partition, batch.nextOffset);
    } finally {
      this.#atOnce--;
    }
  }
}
