export { startBroker, type Broker, type BrokerOptions } from './broker.ts';
export { brokerAvailability, type Availability } from './distribution.ts';
export { KAFKA_VERSION, USERS, type User } from './settings.ts';
