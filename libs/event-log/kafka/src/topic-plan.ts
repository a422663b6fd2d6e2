import kafkajs, { type Admin, type ConfigEntries } from 'kafkajs';
import type { TopicDefinition } from '@whale/event-log';
import { administrate, type Administration } from './administration.ts';
import { toLogError } from './errors.ts';
import type { KafkaSettings } from './settings.ts';
import { copiesOf, keeping } from './topics.ts';

// Node finds these names of a CommonJS package only below its default export.
const { ConfigResourceTypes, ConfigSource } = kafkajs;

export interface Compared {
  /** What the broker has; undefined where the topic is missing. */
  is: number | undefined;
  /** Undefined where the definition leaves it to the broker. */
  defined: number | undefined;
}

export interface TopicPlan {
  /** Its name in the log. */
  topic: string;
  topicOnBroker: string;
  /** `short`: fewer partitions than defined, which cannot be mended. More than defined is as defined. */
  state: 'as-defined' | 'missing' | 'differs' | 'short';
  partitions: Compared;
  retentionMs: Compared;
  /** By what it loses records otherwise than by their age: `cleanup.policy=compact`, `retention.bytes=…`. */
  losesBy: readonly string[];
  /** Copies of each partition. What differs is only told: the brokers' own tools move copies. */
  replication: Compared;
}

/** What the brokers lack of the definitions, one for each of them. Needs DESCRIBE and DESCRIBE_CONFIGS on the topics. */
export async function topicPlan(
  settings: KafkaSettings,
  definitions: readonly TopicDefinition[],
): Promise<TopicPlan[]> {
  try {
    return await administrate(settings, (tools) => planned(tools, definitions, settings));
  } catch (error) {
    throw toLogError(error, 'looking at the topics');
  }
}

/**
 * Creates what is missing and sets retention where it differs; what else a topic is set to stays. Resolves with the plan
 * that was carried out. Rejects with `LOG_TOPIC_INVALID` for a topic with fewer partitions than defined.
 */
export async function applyTopics(
  settings: KafkaSettings,
  definitions: readonly TopicDefinition[],
): Promise<TopicPlan[]> {
  try {
    return await administrate(settings, async (tools) => {
      const plan = await planned(tools, definitions, settings);
      await tools.topics.ensure(definitions);
      for (const [index, { topicOnBroker, state }] of plan.entries()) {
        if (state !== 'differs') continue;
        await setRetention(tools.admin, topicOnBroker, keeping(definitions[index] as TopicDefinition));
      }
      return plan;
    });
  } catch (error) {
    throw toLogError(error, 'setting up the topics');
  }
}

async function planned(
  { admin, names }: Administration,
  definitions: readonly TopicDefinition[],
  settings: Pick<KafkaSettings, 'replicationFactor'>,
): Promise<TopicPlan[]> {
  const existing = new Set(await admin.listTopics());
  const found = definitions.map(({ name }) => names.topicOnBroker(name)).filter((name) => existing.has(name));
  const layouts = await topicLayouts(admin, found);
  const configs = await topicConfigs(admin, found);
  return definitions.map((definition): TopicPlan => {
    const { name, partitions, retentionMs } = definition;
    const copies = copiesOf(definition, settings);
    const topicOnBroker = names.topicOnBroker(name);
    const layout = layouts.get(topicOnBroker);
    const config = new Map(configs.get(topicOnBroker)?.map(({ configName, configValue }) => [configName, configValue]));
    const { 'retention.ms': _, ...others } = keeping(definition);
    const retention = config.get('retention.ms');
    const plan = {
      topic: name,
      topicOnBroker,
      partitions: { is: layout?.partitions, defined: partitions },
      retentionMs: { is: retention === undefined ? undefined : Number(retention), defined: retentionMs },
      losesBy: Object.entries(others).flatMap(([key, value]) => {
        const is = config.get(key);
        return is === undefined || is === value ? [] : [`${key}=${is}`];
      }),
      replication: { is: layout?.replication, defined: copies === -1 ? undefined : copies },
    };
    return { ...plan, state: stateOf(plan) };
  });
}

function stateOf({
  partitions,
  retentionMs,
  losesBy,
}: Pick<TopicPlan, 'partitions' | 'retentionMs' | 'losesBy'>): TopicPlan['state'] {
  if (partitions.is === undefined) return 'missing';
  if (partitions.is < (partitions.defined ?? 1)) return 'short';
  if (losesBy.length > 0) return 'differs';
  return retentionMs.defined === undefined || retentionMs.is === retentionMs.defined ? 'as-defined' : 'differs';
}

interface Layout {
  partitions: number;
  /** Of the partition with the fewest copies. */
  replication: number;
}

async function topicLayouts(admin: Admin, topics: string[]): Promise<Map<string, Layout>> {
  if (topics.length === 0) return new Map();
  const metadata = await admin.fetchTopicMetadata({ topics });
  return new Map(
    metadata.topics.map(({ name, partitions }) => [
      name,
      { partitions: partitions.length, replication: Math.min(...partitions.map(({ replicas }) => replicas.length)) },
    ]),
  );
}

async function topicConfigs(admin: Admin, topics: readonly string[]): Promise<Map<string, ConfigEntries[]>> {
  if (topics.length === 0) return new Map();
  const resources = topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name }));
  const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
  return new Map(answer.resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]));
}

/** The request replaces all that a topic was set to, so the rest is said again. */
async function setRetention(admin: Admin, topic: string, entries: Readonly<Record<string, string>>): Promise<void> {
  const own = ((await topicConfigs(admin, [topic])).get(topic) ?? []).filter(
    ({ configName, configSource }) => configSource === ConfigSource.TOPIC_CONFIG && !(configName in entries),
  );
  const configEntries = [
    ...own.map(({ configName, configValue }) => ({ name: configName, value: configValue })),
    ...Object.entries(entries).map(([name, value]) => ({ name, value })),
  ];
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }],
  });
}
