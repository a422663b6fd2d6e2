import type { Admin, Kafka } from 'kafkajs';
import { toLogError } from './errors.ts';

/** One administrative connection, made when it is first needed. */
export class LazyAdmin {
  readonly #kafka: Kafka;
  #admin: Promise<Admin> | undefined;

  constructor(kafka: Kafka) {
    this.#kafka = kafka;
  }

  get(): Promise<Admin> {
    this.#admin ??= this.#connect();
    return this.#admin;
  }

  async close(): Promise<void> {
    const admin = await this.#admin?.catch(() => undefined);
    await admin?.disconnect().catch(() => undefined);
  }

  async #connect(): Promise<Admin> {
    const admin = this.#kafka.admin();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      this.#admin = undefined;
      throw toLogError(error, 'connecting to Kafka');
    }
  }
}
