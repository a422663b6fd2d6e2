export { KafkaEventLog, type KafkaEventLogOptions } from './kafka-event-log.ts';
export { kafkaSettings, Secret, type KafkaSettings } from './settings.ts';
