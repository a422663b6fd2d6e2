import { saslProperties, scramArguments, tlsProperties, type TlsListeners } from './security.ts';

export const KAFKA_VERSION = '4.1.2';
export const CLUSTER_ID = 'd2hhbGUta2Fma2EtYnJva2';
/** A broker of tests takes 380 MB with it. */
export const HEAP = '-Xmx384m';

/** Of one node, broker and controller at once; all nodes of a cluster run on this machine. */
export interface BrokerSettings {
  /** From 1 on. */
  id: number;
  /** On 127.0.0.1. */
  port: number;
  /** Of all nodes of the cluster, in the order of their ids. */
  controllerPorts: readonly number[];
  sasl: boolean;
  /** Only with `sasl`. */
  tls: TlsListeners | null;
}

/** Consumer offsets lie in so many partitions, each with a coordinator that must be ready. */
export const OFFSETS_PARTITIONS = 4;
/** Largest record, bytes. Kafka's own default is 1 MiB; tests go beyond what the platform ever writes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** server.properties of a node (KRaft), for development and tests. */
export function serverProperties(settings: BrokerSettings, place: { listenOn: string; dataFolder: string }): string {
  const { id, controllerPorts, sasl, tls } = settings;
  const listeners = listenersOf(settings);
  const controllerPort = controllerPorts[id - 1] as number;
  const copies = controllerPorts.length;
  const properties: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': id,
    listeners: [
      ...listeners.map(({ name, port }) => `${name}://${place.listenOn}:${port}`),
      `CONTROLLER://127.0.0.1:${controllerPort}`,
    ].join(),
    'advertised.listeners': listeners.map(({ name, port }) => `${name}://127.0.0.1:${port}`).join(),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'CLIENT',
    'listener.security.protocol.map': [
      ...listeners.map(({ name, protocol }) => `${name}:${protocol}`),
      'CONTROLLER:PLAINTEXT',
    ].join(),
    'controller.quorum.voters': controllerPorts.map((port, index) => `${index + 1}@127.0.0.1:${port}`).join(),
    'log.dirs': place.dataFolder,
    'default.replication.factor': copies,
    'min.insync.replicas': Math.max(1, copies - 1),
    'offsets.topic.num.partitions': OFFSETS_PARTITIONS,
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.num.partitions': 1,
    'transaction.state.log.replication.factor': copies,
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
    ...(tls === null ? {} : tlsProperties(tls.pem)),
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Of the storage tool, besides the file of properties. */
export function formatArguments({ tls }: Pick<BrokerSettings, 'tls'>): string[] {
  return ['format', '-t', CLUSTER_ID, ...(tls === null ? [] : scramArguments())];
}

function listenersOf({ port, sasl, tls }: BrokerSettings) {
  return [
    { name: 'CLIENT', port, protocol: sasl ? 'SASL_PLAINTEXT' : 'PLAINTEXT' },
    ...(tls === null
      ? []
      : [
          { name: 'SCRAM', port: tls.scramPort, protocol: 'SASL_SSL' },
          { name: 'MUTUAL', port: tls.mutualPort, protocol: 'SSL' },
        ]),
  ];
}
