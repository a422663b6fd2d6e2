import { existsSync } from 'node:fs';
import { TOPIC_NAMES } from '@whale/contracts';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { dataFolder } from '@whale/service-host';

/** Looks at a log from outside, while other processes write it. */
export class LogProbe {
  readonly #path: string;
  #log: SqliteEventLog | null = null;

  constructor(data: string) {
    this.#path = dataFolder(data).log;
  }

  /** Records on all topics; 0 while there is no log. */
  async records(): Promise<number> {
    if (!this.#log && !existsSync(this.#path)) return 0;
    try {
      this.#log ??= await SqliteEventLog.open({ path: this.#path });
      const heads = await this.#log.heads(TOPIC_NAMES);
      return heads.reduce((sum, head) => sum + head.offset, 0);
    } catch {
      // The file is being made, or its topics are.
      return 0;
    }
  }

  /** Event ids by type, in no particular order: duplicates show as repeated ids. */
  async eventIds(type: string): Promise<string[]> {
    this.#log ??= await SqliteEventLog.open({ path: this.#path });
    const ids: string[] = [];
    for (const { topic, partition } of await this.#log.heads(TOPIC_NAMES)) {
      for await (const record of this.#log.read({ topic, partition, from: 0 })) {
        if (record.headers['ce_type'] === type) ids.push(record.headers['ce_id'] as string);
      }
    }
    return ids;
  }

  async close(): Promise<void> {
    await this.#log?.close();
    this.#log = null;
  }
}
