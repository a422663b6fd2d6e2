import { LogError, type AppendRecord } from '@whale/event-log';
import { turn } from '@whale/kernel';
import type { LogDatabase } from './database.ts';
import { toLogError } from './errors.ts';
import type { Heads, RecordStore } from './record-store.ts';

/** Records put into one transaction at most, unless one call has more: bounds how long the event loop stands still. */
const MOST_RECORDS = 256;

interface Request {
  records: readonly AppendRecord[];
  resolve: () => void;
  reject: (error: LogError) => void;
}

/**
 * Appends in the order of the calls. Calls that wait at the same time share one transaction and one disk flush; each
 * of them is still whole or absent, and the failure of one is not the failure of the others.
 */
export class AppendQueue {
  readonly #database: LogDatabase;
  readonly #store: RecordStore;
  readonly #onAppended: (heads: Heads) => void;
  #waiting: Request[] = [];
  #running: Promise<void> | undefined;

  constructor(database: LogDatabase, store: RecordStore, onAppended: (heads: Heads) => void) {
    this.#database = database;
    this.#store = store;
    this.#onAppended = onAppended;
  }

  add(records: readonly AppendRecord[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ records, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all that was added is settled. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await turn();
      const requests = this.#takeSome();
      const error = await this.#commit(requests);
      if (error === undefined) continue;
      if (requests.length > 1 && error.code !== 'LOG_BUSY') await this.#commitApart(requests);
      else for (const request of requests) request.reject(error);
    }
    this.#running = undefined;
  }

  /** Only the call that cannot be written is rejected. */
  async #commitApart(requests: readonly Request[]): Promise<void> {
    for (const request of requests) {
      const error = await this.#commit([request]);
      if (error !== undefined) request.reject(error);
    }
  }

  #takeSome(): Request[] {
    let records = 0;
    let count = 0;
    for (const request of this.#waiting) {
      records += request.records.length;
      if (count > 0 && records > MOST_RECORDS) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Settles the requests; on failure settles none but returns the error. */
  async #commit(requests: readonly Request[]): Promise<LogError | undefined> {
    try {
      const all = requests.flatMap((request) => request.records);
      const heads = await this.#database.retrying(() => this.#database.transaction(() => this.#store.insert(all)));
      for (const request of requests) request.resolve();
      this.#onAppended(heads);
      return undefined;
    } catch (error) {
      return toLogError(error, this.#database.realPath);
    }
  }
}
