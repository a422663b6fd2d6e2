import { backOffMs, checkCheckpoint, type BackOff, type TopicPartition } from '@whale/event-log';
import type { Lease } from './lease-store.ts';
import type { PartitionRef } from './topics.ts';

/** One partition for as long as a subscription holds it: how far it has come, and when it may be tried again. */
export class PartitionFeed {
  readonly partition: PartitionRef;
  readonly lease: Lease;
  /** Offset to deliver next; undefined until the checkpoint has been asked for. */
  next: number | undefined;
  /** A handler or a checkpoint callback is at work on it. */
  busy = false;
  /** Held no longer: nothing more is delivered. `release` says whether the lease is still to be given back. */
  ending: { release: boolean } | undefined;
  readonly #backOff: BackOff;
  #failures = 0;
  #notBefore = 0;
  #retryRecords: number | undefined;

  constructor(partition: PartitionRef, lease: Lease, backOff: BackOff) {
    this.partition = partition;
    this.lease = lease;
    this.#backOff = backOff;
  }

  get topicPartition(): TopicPartition {
    return { topic: this.partition.topic, partition: this.partition.partition };
  }

  /** Whether it has something to do, back-off aside. `head` is the partition's next offset. */
  hasWork(head: number): boolean {
    return this.ending === undefined && (this.next === undefined || this.next < head);
  }

  /** Ms until it may be tried; 0 when at once. */
  dueInMs(now: number): number {
    return Math.max(0, this.#notBefore - now);
  }

  /** After a failed delivery the same records come again, not more of them. */
  limit(maxRecords: number): number {
    return this.#retryRecords ?? maxRecords;
  }

  begin(checkpoint: number | undefined, head: number): void {
    const next = checkpoint ?? 0;
    checkCheckpoint(this.#name(), next, head, 'the log was replaced by an older one');
    this.next = next;
  }

  succeeded(next: number): void {
    this.next = next;
    this.#failures = 0;
    this.#retryRecords = undefined;
  }

  failed(now: number, deliveredRecords: number | undefined): void {
    this.#notBefore = now + backOffMs(this.#failures, this.#backOff);
    this.#failures++;
    this.#retryRecords = deliveredRecords ?? this.#retryRecords;
  }

  #name(): string {
    return `${this.partition.topic}/${this.partition.partition}`;
  }
}
