import { topicDefinitions } from '@whale/contracts';
import { applyTopics, topicPlan, type Compared, type KafkaSettings, type TopicPlan } from '@whale/event-log-kafka';
import { EnvironmentError } from '@whale/kernel';
import { table } from '../print/table.ts';
import { plural } from '../print/text.ts';

const DAY_MS = 24 * 3_600_000;

/** What was done to one topic and what was found before, for programs; null where the brokers have or decide it. */
export interface AppliedTopic {
  topic: string;
  topicOnBroker: string;
  done: 'created' | 'retention set' | 'nothing';
  partitions: Found;
  retentionMs: Found;
  /** By what it lost records besides: `cleanup.policy=compact`, `retention.bytes=…`. Taken away. */
  lostBy: readonly string[];
  replication: Found;
}

interface Found {
  was: number | null;
  defined: number | null;
}

/**
 * Makes the topics on the brokers as the contracts define them. Throws EnvironmentError, and changes nothing, where one
 * has fewer partitions than defined; LogError where the brokers refuse or do not answer.
 */
export async function applyPlatformTopics(settings: KafkaSettings): Promise<AppliedTopic[]> {
  const definitions = topicDefinitions();
  checkPartitions(await topicPlan(settings, definitions));
  return (await applyTopics(settings, definitions)).map(applied);
}

export function checkPartitions(plan: readonly TopicPlan[]): void {
  const short = plan.filter(({ state }) => state === 'short');
  if (short.length === 0) return;
  const list = short.map(
    ({ topicOnBroker, partitions }) => `  ${topicOnBroker}: ${partitions.is}, defined ${partitions.defined}`,
  );
  throw new EnvironmentError(
    `topics with fewer partitions than defined, which cannot grow since keys would lose their order:\n${list.join('\n')}\n` +
      'Nothing was changed. Delete those that hold nothing, or choose new names with WHALE_KAFKA_TOPIC_PREFIX, then try again.',
  );
}

export function applied({ state, topic, topicOnBroker, ...plan }: TopicPlan): AppliedTopic {
  return {
    topic,
    topicOnBroker,
    done: state === 'missing' ? 'created' : state === 'differs' ? 'retention set' : 'nothing',
    partitions: found(plan.partitions),
    retentionMs: found(plan.retentionMs),
    lostBy: plan.losesBy,
    replication: found(plan.replication),
  };
}

function found({ is, defined }: Compared): Found {
  return { was: is ?? null, defined: defined ?? null };
}

export function appliedText(topics: readonly AppliedTopic[]): string {
  const rows = topics.map(({ topicOnBroker, done, partitions, retentionMs, replication }) => [
    topicOnBroker,
    done === 'nothing' ? 'as defined' : done,
    String(partitions.was ?? partitions.defined),
    done === 'retention set' && differs(retentionMs)
      ? `${duration(retentionMs.was)} → ${duration(retentionMs.defined)}`
      : duration(retentionMs.defined),
    String(replication.was ?? replication.defined ?? "brokers' default"),
  ]);
  const count = (done: AppliedTopic['done']) => topics.filter((each) => each.done === done).length;
  const changes = [
    ...(count('created') > 0 ? [`${plural(count('created'), 'topic')} created`] : []),
    ...(count('retention set') > 0 ? [`retention of ${plural(count('retention set'), 'topic')} set`] : []),
  ];
  return [
    table(['topic', 'state', 'partitions', 'kept', 'copies'], rows, ['left', 'left', 'right', 'left', 'right']),
    '',
    ...topics.flatMap(remarks),
    changes.length === 0
      ? `Nothing to do: all ${topics.length} topics are as defined.`
      : `${sentence(changes.join(', '))}.`,
  ].join('\n');
}

function remarks({ topicOnBroker, partitions, lostBy, replication }: AppliedTopic): string[] {
  const lines: string[] = [];
  if (lostBy.length > 0) {
    lines.push(
      `${topicOnBroker} was set to ${lostBy.join(' and ')}, by which events are lost: no longer. \`whale rebuild\` says of each experiment whether some are.`,
    );
  }
  if (differs(partitions)) {
    lines.push(`${topicOnBroker} has ${partitions.was} partitions, defined ${partitions.defined}: more do no harm.`);
  }
  if (differs(replication)) {
    lines.push(
      `${topicOnBroker} has ${replication.was} copies, WHALE_KAFKA_REPLICATION says ${replication.defined}: kafka-reassign-partitions.sh moves copies.`,
    );
  }
  return lines;
}

function differs({ was, defined }: Found): boolean {
  return was !== null && defined !== null && was !== defined;
}

function duration(ms: number | null): string {
  if (ms === null) return "brokers' default";
  if (ms < 0) return 'for ever';
  return ms % DAY_MS === 0 ? plural(ms / DAY_MS, 'day') : `${ms} ms`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
