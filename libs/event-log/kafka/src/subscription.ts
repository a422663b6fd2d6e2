import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import {
  LogError,
  type BackOff,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionStatus,
  type TopicPartition,
} from '@whale/event-log';
import type { Clock } from '@whale/kernel';
import type { KafkaCluster } from './cluster.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { toLogError } from './errors.ts';
import { Member } from './member.ts';
import type { Names } from './names.ts';
import type { KafkaSettings } from './settings.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
const REMOVAL_PAUSE_MS = 500;
/** A member that lived so long had joined and worked: what ended it is a new trouble. */
const SETTLED_MS = 10_000;

const NO_COORDINATOR = 'KafkaJSGroupCoordinatorNotFound';

export interface SubscriptionParts {
  kafka: Kafka;
  settings: KafkaSettings;
  names: Names;
  cluster: KafkaCluster;
  watch: ConnectionWatch;
  clock: Clock;
  backOff: BackOff;
}

/** A place in a group for as long as it is wanted: one member after the other, each until kafkajs gives it up. */
export class KafkaSubscription implements Subscription {
  readonly #options: SubscribeOptions;
  readonly #parts: SubscriptionParts;
  readonly #stop = new AbortController();
  /** Names on the brokers. */
  readonly #group: string;
  readonly #topics: readonly string[];
  #aliveAt: number;
  #handlingSince: number | null = null;
  #lastFailure = '';
  #member: Member | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: SubscribeOptions, parts: SubscriptionParts) {
    this.#options = options;
    this.#parts = parts;
    this.#group = parts.names.groupOnBroker(options.group);
    this.#topics = options.topics.map((topic) => parts.names.topicOnBroker(topic));
    this.#aliveAt = parts.clock.now();
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  assigned(): readonly TopicPartition[] {
    return this.status().partitions.map(({ topic, partition }) => ({ topic, partition }));
  }

  status(): SubscriptionStatus {
    const partitions = this.#stop.signal.aborted ? [] : (this.#member?.assigned() ?? []);
    return { aliveAt: this.#aliveAt, handlingSince: this.#handlingSince, partitions };
  }

  /** Trouble with the subscription as a whole. */
  tell(message: string): void {
    this.#report(new LogError('LOG_UNAVAILABLE', message, { retryable: true }), this.#nowhere());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const member = this.#newMember();
      this.#member = member;
      member.join();
      const failure = await Promise.race([member.ended, stopped]);
      await member.leave();
      this.#member = undefined;
      if (signal.aborted) return;
      if (member.id !== undefined) void this.#remove(member.id);
      this.#failed(await this.#causeOf(failure));
      // A try to reach the brokers that ended is a sign of life too: starting the process anew would not help.
      this.#alive();
      pause = performance.now() - startedAt > SETTLED_MS ? FIRST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * A member that could not take its leave, for the brokers were away, is counted in by them: its successor would wait
   * for the end of its session. So it is taken out as soon as they are back.
   */
  async #remove(memberId: string): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && !(await this.#parts.cluster.removeMember(this.#group, memberId, this.#topics))) {
      await sleep(REMOVAL_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Brokers that are away are told by the log, once for all; what will not go away by itself once for each reason. */
  #failed(error: LogError): void {
    if (error.retryable) return this.#parts.watch.failed(error);
    if (error.message !== this.#lastFailure) this.#report(error, this.#nowhere());
    this.#lastFailure = error.message;
  }

  /** Of a refusal by the coordinator kafkajs says only that there is none. */
  async #causeOf(failure: unknown): Promise<LogError> {
    const found = (failure as { name?: unknown } | null)?.name !== NO_COORDINATOR;
    const cause = found ? undefined : await this.#parts.cluster.groupTrouble(this.#group, this.#topics);
    return cause ?? toLogError(failure, `group ${this.#group}`);
  }

  #nowhere(): TopicPartition {
    return { topic: this.#options.topics[0] ?? '', partition: -1 };
  }

  #newMember(): Member {
    return new Member(this.#options, this.#parts, {
      onAlive: () => this.#alive(),
      onHandling: (handling) => (this.#handlingSince = handling ? this.#parts.clock.now() : null),
      report: (error, at) => this.#report(error, at),
    });
  }

  #alive(): void {
    this.#aliveAt = this.#parts.clock.now();
  }

  #report(error: unknown, at: TopicPartition): void {
    try {
      this.#options.onError?.(error, at);
    } catch {
      // A reporter that fails must not end the subscription.
    }
  }
}
