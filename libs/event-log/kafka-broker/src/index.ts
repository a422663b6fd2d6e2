export { startCluster, type Cluster, type ClusterNode } from './cluster.ts';
export { startBroker, type Broker, type BrokerOptions } from './broker.ts';
export { brokerAvailability, whyNoJava, type Availability } from './distribution.ts';
export { USERS, type User } from './security.ts';
export { KAFKA_VERSION } from './settings.ts';
export type { TlsAccess } from './tls-side.ts';
