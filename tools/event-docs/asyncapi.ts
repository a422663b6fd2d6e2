import {
  deadLetterTopic,
  latestType,
  TOPIC_NAMES,
  topicDefinitions,
  TOPICS,
  type EventDefinition,
  type TopicLayout,
  type TopicName,
} from '@whale/contracts';
import type { FrozenRecord } from '../../test/histories/corpus.ts';
import { ALL_VERSIONS } from './json-schema.ts';
import { CLAIM_CHECK, DEAD_LETTER, eventMessage, MESSAGE_TRAITS } from './messages.ts';
import type { ServiceSubscriptions } from './subscriptions.ts';

export interface Sources {
  version: string;
  subscriptions: ReadonlyMap<string, ServiceSubscriptions>;
  exampleOf: (type: string) => FrozenRecord;
}

const BINDING = { bindingVersion: '0.5.0' };
const ref = (pointer: string) => ({ $ref: `#/${pointer}` });
const ofTopic = (topic: TopicName) => ALL_VERSIONS.filter((definition) => definition.topic === topic);

/** The streams of the platform as one AsyncAPI 3 document: nothing in it is written by hand but sentences. */
export function asyncApiDocument({ version, subscriptions, exampleOf }: Sources): Record<string, unknown> {
  const messages = ALL_VERSIONS.map((definition) => [
    definition.type,
    eventMessage(definition, TOPICS[definition.topic].key, exampleOf(definition.type)),
  ]);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'WHALE events',
      version,
      description: [
        'Weight-Harness Alternating LEarning: the event streams of the platform. Values are JSON under CloudEvents 1.0',
        'headers (Kafka binary mode); topics may bear a prefix. One topic has one writer. An event may come more than',
        'once, under the same ce_id. See docs/events.md.',
      ].join('\n'),
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      kafka: { host: '{broker}', protocol: 'kafka', variables: { broker: { default: 'localhost:9092' } } },
    },
    channels: Object.fromEntries([
      ...TOPIC_NAMES.map((topic) => [topic, channelOf(topic)]),
      ['dead-letters', deadLetters()],
    ]),
    operations: Object.fromEntries([...subscriptions].flatMap(operationsOf).concat(operationsOfEdges())),
    components: {
      messageTraits: MESSAGE_TRAITS,
      schemas: { claimCheck: CLAIM_CHECK },
      messages: Object.fromEntries([...messages, ['dead-letter', DEAD_LETTER]]) as Record<string, unknown>,
    },
  };
}

function channelOf(topic: TopicName): Record<string, unknown> {
  const { writer, key } = TOPICS[topic];
  return {
    address: topic,
    description: `Written by ${writer}, keyed by ${key}.`,
    messages: Object.fromEntries(ofTopic(topic).map(({ type }) => [type, ref(`components/messages/${type}`)])),
    bindings: { kafka: kafkaBinding(topic) },
  };
}

function deadLetters(): Record<string, unknown> {
  const { topic: _any, ...binding } = kafkaBinding(deadLetterTopic(TOPIC_NAMES[0] as string));
  return {
    address: '{topic}.dlq',
    description: 'What a consumer of a topic could not handle. `whale dlq` lists, shows and retries it.',
    parameters: { topic: { enum: TOPIC_NAMES, description: 'The topic that it came from.' } },
    messages: { 'dead-letter': ref('components/messages/dead-letter') },
    bindings: { kafka: binding },
  };
}

function kafkaBinding(topic: string): Record<string, unknown> {
  const { partitions, retentionMs } = topicDefinitions().find(({ name }) => name === topic) as TopicLayout;
  const topicConfiguration = { 'cleanup.policy': ['delete'], 'retention.ms': retentionMs };
  return { topic, partitions, topicConfiguration, ...BINDING };
}

function operationsOf([service, { consumes, emits }]: [string, ServiceSubscriptions]): [string, unknown][] {
  const group = { kafka: { groupId: { type: 'string', const: service }, ...BINDING } };
  return [...byTopic(service, 'send', emits), ...byTopic(service, 'receive', consumes, group)];
}

/** The command line and pages are no services: they have no subscriptions. */
function operationsOfEdges(): [string, unknown][] {
  const topics = TOPIC_NAMES.filter((topic) => TOPICS[topic].writer === 'console');
  const written = topics.flatMap(ofTopic).filter(({ type }) => latestType(type) === type);
  return byTopic('console', 'send', written);
}

function byTopic(
  service: string,
  action: 'send' | 'receive',
  definitions: readonly EventDefinition[],
  bindings?: Record<string, unknown>,
): [string, unknown][] {
  const topics = TOPIC_NAMES.filter((topic) => definitions.some((definition) => definition.topic === topic));
  return topics.map((topic) => [
    `${service}.${action}.${topic}`,
    {
      action,
      channel: ref(`channels/${topic}`),
      summary: action === 'send' ? `${service} writes ${topic}.` : `${service} reads ${topic}.`,
      tags: [{ name: service }],
      messages: definitions
        .filter((definition) => definition.topic === topic)
        .map(({ type }) => ref(`channels/${topic}/messages/${type}`)),
      ...(bindings && { bindings }),
    },
  ]);
}
