import type { KafkaSettings } from './settings.ts';

/** Names of the log and names on the broker. */
export class Names {
  readonly #topicPrefix: string;
  readonly #groupPrefix: string;

  constructor({ topicPrefix, groupPrefix }: Pick<KafkaSettings, 'topicPrefix' | 'groupPrefix'>) {
    this.#topicPrefix = topicPrefix;
    this.#groupPrefix = groupPrefix;
  }

  topicOnBroker(topic: string): string {
    return this.#topicPrefix + topic;
  }

  topicOfLog(topic: string): string {
    return topic.slice(this.#topicPrefix.length);
  }

  groupOnBroker(group: string): string {
    return this.#groupPrefix + group;
  }
}
