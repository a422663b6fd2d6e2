import { setTimeout as sleep } from 'node:timers/promises';
import { archiveSubscriptions } from '@whale/app-archive';
import type { EventLog, Position } from '@whale/event-log';
import { openState, platformLocation, type OpenState } from '@whale/service-host';
import { startWhale, type Running } from '../../support/whale-process.ts';

const TOPICS = [...new Set(archiveSubscriptions.consumes.map(({ topic }) => topic))];
const SAYS_RUNNING = /archive[^\n]*running on/;

export interface ArchivePlace {
  data: string;
  /** `kafka://host:port` */
  log: string;
  topicPrefix: string;
  /** A group of its own: a dead member of another place would be waited for. */
  groupPrefix: string;
  /** Null: SQLite files in `data`. */
  database: string | null;
}

/** Seconds since the process was started. */
export interface Start {
  /** Until the service says that it runs: it has connected, migrated and subscribed. */
  running: number;
  /** Until its committed checkpoints are the heads that the log had before the start. */
  caughtUp: number;
}

/** `whale services archive` as an operator starts it, and a look at its committed checkpoints from outside. */
export class ArchiveProcess {
  readonly #place: ArchivePlace;
  readonly #log: EventLog;
  readonly #state: OpenState;
  #running: Running | null = null;

  private constructor(place: ArchivePlace, log: EventLog, state: OpenState) {
    this.#place = place;
    this.#log = log;
    this.#state = state;
  }

  /** `log` is the same log, to see its heads. */
  static async at(place: ArchivePlace, log: EventLog): Promise<ArchiveProcess> {
    const { data, database } = place;
    const location = platformLocation({ data, log: place.log, ...(database === null ? {} : { database }) }, {});
    return new ArchiveProcess(place, log, await openState(location, { WHALE_KAFKA_TOPIC_PREFIX: place.topicPrefix }));
  }

  /** Starts it and waits until it has caught up, looking every `pollMs`. Throws when it ends before, or after `limitMs`. */
  async start({ pollMs, limitMs }: { pollMs: number; limitMs: number }): Promise<Start> {
    const { data, log, database, topicPrefix, groupPrefix } = this.#place;
    const heads = await this.#heads();
    const since = performance.now();
    const seconds = () => (performance.now() - since) / 1000;
    const flags = ['--log', log, '--data', data, ...(database === null ? [] : ['--database', database])];
    const running = startWhale(['services', 'archive', ...flags], {
      WHALE_KAFKA_TOPIC_PREFIX: topicPrefix,
      WHALE_KAFKA_GROUP_PREFIX: groupPrefix,
    });
    this.#running = running;
    let saysRunning: number | undefined;
    let stderr = '';
    running.process.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      if (saysRunning === undefined && SAYS_RUNNING.test(stderr)) saysRunning = seconds();
    });
    await this.#reached(heads, { pollMs, limitMs, running });
    const caughtUp = seconds();
    while (saysRunning === undefined) await sleep(1);
    return { running: saysRunning, caughtUp };
  }

  /**
   * Sets its checkpoints to the heads, as if it had handled what lies before; nothing where it has. Not while it runs.
   * Returns the positions that were moved.
   */
  async skipToHeads(): Promise<Position[]> {
    const moved: Position[] = [];
    const store = this.#state.store('archive').open();
    try {
      for (const to of await this.#heads()) {
        const from = await store.checkpoint(to);
        if ((from ?? 0) >= to.offset) continue;
        await store.commit({ checkpoint: { from, to } });
        moved.push(to);
      }
      return moved;
    } finally {
      await store.close();
    }
  }

  /** As an operator does; throws when it does not end well. */
  async stop(): Promise<void> {
    const { code, stderr } = await this.#end('SIGTERM');
    if (code !== 0) throw new Error(`the archive ended with ${code}: ${stderr.slice(-2_000)}`);
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async close(): Promise<void> {
    if (this.#running) await this.kill();
    await this.#state.close();
  }

  /** Its name on the brokers. */
  get group(): string {
    return `${this.#place.groupPrefix}archive`;
  }

  async #heads(): Promise<Position[]> {
    return (await this.#log.heads(TOPICS)).filter(({ offset }) => offset > 0);
  }

  async #end(signal: NodeJS.Signals) {
    const running = this.#running;
    if (!running) throw new Error('the archive is not running');
    running.process.kill(signal);
    this.#running = null;
    return running.finished;
  }

  async #reached(
    heads: readonly Position[],
    { pollMs, limitMs, running }: { pollMs: number; limitMs: number; running: Running },
  ): Promise<void> {
    const deadline = performance.now() + limitMs;
    let ended: string | null = null;
    void running.finished.then(
      ({ code, stderr }) => (ended = `the archive ended with ${code}: ${stderr.slice(-2_000)}`),
    );
    const place = this.#state.store('archive');
    while (!(await place.exists())) await pause();
    const store = place.open();
    try {
      for (const head of heads) while (((await store.checkpoint(head)) ?? 0) < head.offset) await pause();
    } finally {
      await store.close();
    }

    async function pause(): Promise<void> {
      if (ended !== null) throw new Error(ended);
      if (performance.now() > deadline) throw new Error(`the archive has not caught up after ${limitMs / 1000} s`);
      await sleep(pollMs);
    }
  }
}
