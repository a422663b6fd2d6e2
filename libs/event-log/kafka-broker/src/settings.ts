import { SERVICES } from '@whale/contracts';

export const KAFKA_VERSION = '4.1.2';
export const CLUSTER_ID = 'd2hhbGUta2Fma2EtYnJva2';
/** A broker of tests takes 380 MB with it. */
export const HEAP = '-Xmx384m';

/** Users of a broker with SASL: the administrator, who may do everything, the console, the operator and the services. */
export const USERS = ['admin', 'console', 'operator', ...SERVICES] as const;
export type User = (typeof USERS)[number];

/** Not a secret: the broker listens on the loopback interface and lives as long as a test. */
export function passwordOf(user: User): string {
  return `${user}-password`;
}

export interface BrokerSettings {
  /** On 127.0.0.1. */
  port: number;
  controllerPort: number;
  sasl: boolean;
}

/** Consumer offsets lie in so many partitions, each with a coordinator that must be ready. */
export const OFFSETS_PARTITIONS = 4;
/** Largest record, bytes. Kafka's own default is 1 MiB; tests go beyond what the platform ever writes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** server.properties of one node that is broker and controller (KRaft), for development and tests. */
export function serverProperties(
  { port, controllerPort, sasl }: BrokerSettings,
  place: { listenOn: string; dataFolder: string },
): string {
  const properties: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    listeners: `CLIENT://${place.listenOn}:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'CLIENT',
    'listener.security.protocol.map': `CLIENT:${sasl ? 'SASL_PLAINTEXT' : 'PLAINTEXT'},CONTROLLER:PLAINTEXT`,
    'controller.quorum.bootstrap.servers': `127.0.0.1:${controllerPort}`,
    'log.dirs': place.dataFolder,
    'offsets.topic.num.partitions': OFFSETS_PARTITIONS,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'auto.create.topics.enable': false,
    // Members of a group settle at once, and a killed one is missed soon.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // A killed broker may come back under its id only after its session has timed out.
    'broker.session.timeout.ms': 2000,
    'broker.heartbeat.interval.ms': 300,
    'message.max.bytes': MOST_BYTES,
    'replica.fetch.max.bytes': MOST_BYTES,
    // 128 MiB otherwise, taken at the start.
    'log.cleaner.dedupe.buffer.size': 4 * 1024 * 1024,
    ...(sasl ? saslProperties() : {}),
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function saslProperties(): Record<string, string> {
  const users = USERS.map((user) => `user_${user}="${passwordOf(user)}"`).join(' ');
  return {
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'listener.name.client.plain.sasl.jaas.config':
      'org.apache.kafka.common.security.plain.PlainLoginModule required ' +
      `username="admin" password="${passwordOf('admin')}" ${users};`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    // The controller's listener knows no users; only this node can reach it.
    'super.users': 'User:admin;User:ANONYMOUS',
    'allow.everyone.if.no.acl.found': 'false',
  };
}
