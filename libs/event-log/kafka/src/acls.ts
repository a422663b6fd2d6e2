import { deadLetterTopic, TOPIC_NAMES, TOPICS } from '@whale/contracts';
import { Names } from './names.ts';
import type { KafkaSettings } from './settings.ts';

/** Who writes and who reads one topic of the log; services by their names. */
export interface TopicAccess {
  topic: string;
  writer: string;
  /** Who consumes it, in groups. */
  readers: readonly string[];
  /** Who looks it up besides, in no group. */
  observers: readonly string[];
  /** Where its readers park what they cannot handle. */
  deadLetters: string;
}

type Topics = readonly { topic: string }[];

/** Of all topics of the platform; `consumes` and `reads` as the services' `subscriptions.ts` and projections say. */
export function topicAccess(
  services: readonly { name: string; consumes: Topics; reads?: Topics | undefined }[],
): TopicAccess[] {
  const has = (topics: Topics, topic: string) => topics.some((each) => each.topic === topic);
  return TOPIC_NAMES.map((topic) => ({
    topic,
    writer: TOPICS[topic].writer,
    readers: services.filter(({ consumes }) => has(consumes, topic)).map(({ name }) => name),
    observers: services.filter(({ reads = [] }) => has(reads, topic)).map(({ name }) => name),
    deadLetters: deadLetterTopic(topic),
  }));
}

export interface AclOptions {
  /** The user that a service is to the brokers: `User:…`. */
  principalOf: (service: string) => string;
  /** The consumer groups of a service that reads, by their names in the log. */
  groupsOf: (service: string) => readonly string[];
  /** Who may read all topics and dead letters, in no group: the console. */
  observers?: readonly string[];
  /** Who may write all of them as well: whoever tries dead letters again puts them on the topics of others. */
  operators?: readonly string[];
  prefixes: Pick<KafkaSettings, 'topicPrefix' | 'groupPrefix'>;
}

export type AclOperation = 'READ' | 'WRITE' | 'DESCRIBE';

/** What one user may do with one topic or group, by its name on the broker. */
export interface Acl {
  principal: string;
  resource: 'topic' | 'group';
  name: string;
  operations: readonly AclOperation[];
}

/**
 * What the services need; a broker that refuses what no ACL allows refuses the rest.
 * A1 A topic is written by its one writer; its dead letters by those who read it; both by operators, who are no service.
 * A2 A topic is read by its readers, in groups of their own, and by its observers, those of all topics and operators,
 *    without a group.
 * A3 Everybody may see that a topic is there, since each service checks all of them when it starts.
 * What takes more (creating topics, changing ACLs) is for an administrator of the brokers.
 */
export function aclsFor(topics: readonly TopicAccess[], options: AclOptions): Acl[] {
  const names = new Names(options.prefixes);
  const { observers = [], operators = [] } = options;
  const services = [
    ...new Set([
      ...[...observers, ...operators],
      ...topics.flatMap((access) => [access.writer, ...access.readers, ...access.observers]),
    ]),
  ].sort();
  return services.flatMap((service) => {
    const principal = options.principalOf(service);
    const reads = topics.some(({ readers }) => readers.includes(service));
    const groups = reads ? options.groupsOf(service) : [];
    const acl = (topic: string, write: boolean, read: boolean): Acl => ({
      principal,
      resource: 'topic',
      name: names.topicOnBroker(topic),
      operations: [...(write ? (['WRITE'] as const) : []), ...(read ? (['READ'] as const) : []), 'DESCRIBE'],
    });
    return [
      ...topics.flatMap((access) => {
        const operates = operators.includes(service);
        const observes = operates || observers.includes(service);
        const consumes = access.readers.includes(service);
        return [
          acl(
            access.topic,
            operates || access.writer === service,
            consumes || observes || access.observers.includes(service),
          ),
          acl(access.deadLetters, operates || consumes, observes),
        ];
      }),
      ...groups.map((group): Acl => ({
        principal,
        resource: 'group',
        name: names.groupOnBroker(group),
        operations: ['READ', 'DESCRIBE'],
      })),
    ];
  });
}

const COMMAND_NAMES: Readonly<Record<AclOperation, string>> = {
  READ: 'Read',
  WRITE: 'Write',
  DESCRIBE: 'Describe',
};

/** The same for Kafka's own tool, a line each. `login`: further arguments, as `--command-config admin.properties`. */
export function aclCommands(acls: readonly Acl[], brokers: readonly string[], login = ''): string[] {
  const where = ['kafka-acls.sh', '--bootstrap-server', quoted(brokers.join(',')), ...(login === '' ? [] : [login])];
  return acls.map(({ principal, resource, name, operations }) =>
    [
      ...where,
      '--add --allow-principal',
      quoted(principal),
      ...operations.map((operation) => `--operation ${COMMAND_NAMES[operation]}`),
      `--${resource}`,
      quoted(name),
    ].join(' '),
  );
}

/** For a shell. */
function quoted(text: string): string {
  return /^[A-Za-z0-9_.,:=/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
