export {
  aclCommands,
  aclsFor,
  topicAccess,
  type Acl,
  type AclOperation,
  type AclOptions,
  type TopicAccess,
} from './acls.ts';
export { applyAcls } from './apply-acls.ts';
export { KafkaEventLog, type KafkaEventLogOptions } from './kafka-event-log.ts';
export { kafkaSettings, Secret, type KafkaSettings } from './settings.ts';
export { applyTopics, topicPlan, type Compared, type TopicPlan } from './topic-plan.ts';
