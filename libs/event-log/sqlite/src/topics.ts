import { checkTopicDefinition, LogError, type TopicDefinition, type TopicPartition } from '@whale/event-log';
import type { LogDatabase } from './database.ts';

export interface PartitionRef extends TopicPartition {
  /** Id within the file. */
  id: number;
}

/** The topics of the file. A topic never changes once it exists, so what was read once is remembered. */
export class TopicCatalogue {
  readonly #database: LogDatabase;
  readonly #known = new Map<string, readonly PartitionRef[]>();

  constructor(database: LogDatabase) {
    this.#database = database;
  }

  /** Throws `LOG_UNKNOWN_TOPIC`. */
  partitions(topic: string): readonly PartitionRef[] {
    const partitions = this.#find(topic);
    if (partitions === undefined) {
      throw new LogError(
        'LOG_UNKNOWN_TOPIC',
        `topic ${topic} does not exist on ${this.#database.realPath}; create it with ensureTopics`,
      );
    }
    return partitions;
  }

  /** Throws `LOG_UNKNOWN_TOPIC`. */
  partition({ topic, partition }: TopicPartition): PartitionRef {
    const partitions = this.partitions(topic);
    const found = partitions[partition];
    if (found === undefined) {
      throw new LogError(
        'LOG_UNKNOWN_TOPIC',
        `topic ${topic} has partitions 0 to ${partitions.length - 1}, not ${partition}`,
      );
    }
    return found;
  }

  /** All or nothing. Throws `LOG_TOPIC_INVALID`. Writes only when something is missing. */
  ensure(definitions: readonly TopicDefinition[]): void {
    for (const definition of definitions) checkTopicDefinition(definition);
    const isMissing = (definition: TopicDefinition) => {
      const existing = this.#find(definition.name);
      if (existing !== undefined && existing.length < definition.partitions) {
        throw new LogError(
          'LOG_TOPIC_INVALID',
          `topic ${definition.name} has ${existing.length} partitions and cannot grow to ${definition.partitions}: keys would lose their order. Ask for ${existing.length} or use a new log`,
        );
      }
      return existing === undefined;
    };
    if (!definitions.some(isMissing)) return;
    this.#database.transaction(() => {
      for (const definition of definitions.filter(isMissing)) this.#create(definition);
    });
  }

  #create({ name, partitions }: TopicDefinition): void {
    for (let partition = 0; partition < partitions; partition++) {
      this.#database.run(
        'INSERT INTO partitions (topic, "partition") VALUES (?, ?) ON CONFLICT DO NOTHING',
        name,
        partition,
      );
    }
  }

  #find(topic: string): readonly PartitionRef[] | undefined {
    const known = this.#known.get(topic);
    if (known !== undefined) return known;
    const partitions = this.#database.rows<PartitionRef>(
      'SELECT id, topic, "partition" FROM partitions WHERE topic = ? ORDER BY "partition"',
      topic,
    );
    if (partitions.length === 0) return undefined;
    this.#known.set(topic, partitions);
    return partitions;
  }
}
