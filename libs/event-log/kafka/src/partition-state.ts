import {
  backOffMs,
  checkCheckpoint,
  LogError,
  type BackOff,
  type PartitionStatus,
  type TopicPartition,
} from '@whale/event-log';

/** One partition for as long as a member holds it: how far it has come, and when it may be tried again. */
export class PartitionState {
  readonly at: TopicPartition;
  /** The topic's name on the broker. */
  readonly topicOnBroker: string;
  /** Offset to deliver next; undefined until the checkpoint has been asked for. */
  next: number | undefined;
  head: number | undefined;
  /** Held no longer: nothing more is delivered. */
  ended = false;
  /** A delivery is under way. */
  busy = false;
  /** Resolves when no delivery is under way. */
  idle: Promise<void> = Promise.resolve();
  /** Whether `next` is known by now; false after a checkpoint that could not be read, until it is asked for again. */
  begun: Promise<boolean> = Promise.resolve(false);
  readonly #backOff: BackOff;
  #failures = 0;
  #retryRecords: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(at: TopicPartition, topicOnBroker: string, backOff: BackOff) {
    this.at = at;
    this.topicOnBroker = topicOnBroker;
    this.#backOff = backOff;
  }

  get status(): PartitionStatus {
    const { next, head } = this;
    return { ...this.at, nextOffset: next, head: head === undefined ? next : Math.max(head, next ?? 0) };
  }

  /** After a failed delivery the same records come again, not more of them. */
  limit(maxRecords: number): number {
    return this.#retryRecords ?? maxRecords;
  }

  /**
   * `low` and `head`: the offsets that the partition has. What was deleted before it was read is passed over: returns
   * the error to tell of it.
   */
  begin(checkpoint: number | undefined, low: number, head: number): LogError | undefined {
    const next = checkpoint ?? 0;
    const name = `${this.at.topic}/${this.at.partition}`;
    checkCheckpoint(name, next, head, 'the topic was made anew');
    this.next = Math.max(next, low);
    this.head = head;
    this.#failures = 0;
    if (next >= low) return undefined;
    return new LogError(
      'LOG_TRUNCATED',
      `${low === next + 1 ? `offset ${next}` : `offsets ${next} to ${low - 1}`} of ${name} were deleted before they were read, ` +
        'and experiments that need them wait for ever. `whale topics --apply` sets topics to be kept; submit such experiments again with `--set name=…`',
    );
  }

  async work(delivery: () => Promise<void>): Promise<void> {
    let done = () => {};
    this.idle = new Promise((resolve) => (done = resolve));
    this.busy = true;
    try {
      await delivery();
    } finally {
      this.busy = false;
      done();
    }
  }

  succeeded(next: number): void {
    this.next = next;
    this.#failures = 0;
    this.#retryRecords = undefined;
  }

  /** `retry` is called after a back-off, unless the partition has ended by then. */
  failed(deliveredRecords: number | undefined, retry: () => void): void {
    const pauseMs = backOffMs(this.#failures, this.#backOff);
    this.#failures++;
    this.#retryRecords = deliveredRecords ?? this.#retryRecords;
    this.#timer = setTimeout(retry, pauseMs);
  }

  /** What lies before is nothing to deliver: markers of transactions, and records of aborted ones. */
  passOver(next: number): void {
    if (this.next !== undefined) this.next = Math.max(this.next, next);
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.#timer);
  }
}
