import type { LogDatabase } from './database.ts';
import { LeaseStore, type Holding, type Lease, type MemberRow } from './lease-store.ts';
import { announceGroupsChanged } from './notifier.ts';
import { ownIdentity } from './process-identity.ts';

/** A subscription as its group sees it. */
export interface LocalMember {
  readonly id: string;
  readonly group: string;
  readonly topics: readonly string[];
  /** What it holds from now on. Called after each round, also when nothing changed. */
  onHolding(holding: Holding): void;
}

interface Silence {
  row: MemberRow;
  forMs: number;
}

const BEATS_PER_TTL = 4;
const LIVENESS_CHECK_MS = 250;

/**
 * Takes part in consumer groups for all subscriptions of one log (invariants S5 to S7 of `sqlite-event-log.ts`).
 *
 * A round is one transaction: beat for the own members, throw out the dead, claim the free partitions that are ours by
 * `assign`. Since every member computes the same shares from the same rows, no leader and no messages are needed.
 * Death is told without wall clocks: a member whose `beat` has not changed for a whole TTL, as measured by a process
 * that was itself awake all that time, or whose process is certainly gone.
 */
export class GroupMembership {
  readonly #database: LogDatabase;
  readonly #leases: LeaseStore;
  readonly #ttlMs: number;
  readonly #members = new Map<string, LocalMember>();
  /** Members elsewhere, as of the last round, and for how long each has shown no sign of life. */
  readonly #silence = new Map<string, Silence>();
  readonly #generations = new Map<string, number>();
  #lastRound = performance.now();
  #lastLivenessCheck = performance.now();
  #round: Promise<void> | undefined;
  #nextRound: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: LogDatabase, ttlMs: number) {
    this.#database = database;
    this.#leases = new LeaseStore(database, ownIdentity());
    this.#ttlMs = ttlMs;
  }

  /** Resolves when the member has been told of its first holding. */
  async join(member: LocalMember): Promise<void> {
    this.#members.set(member.id, member);
    this.#timer ??= setInterval(() => this.#beatOrWatch(), Math.min(LIVENESS_CHECK_MS, this.#beatMs()));
    try {
      await this.#runRound();
    } catch (error) {
      this.#forget(member);
      throw error;
    }
  }

  /** Frees all that the member holds, at once. */
  async leave(member: LocalMember): Promise<void> {
    this.#forget(member);
    await this.#round?.catch(() => undefined);
    await this.#change(member.group, () => this.#leases.remove(member.id));
  }

  async release(member: LocalMember, lease: Lease): Promise<void> {
    await this.#change(member.group, () => this.#leases.release(member.group, member.id, lease));
  }

  /** Asked in the file, so it is true also for a process that has slept through its own expulsion. */
  holds(member: LocalMember, lease: Lease): boolean {
    return this.#leases.holds(member.group, member.id, lease);
  }

  /** Something in the file has changed: a round if it was a group of ours. */
  onFileChanged(): void {
    for (const [group, known] of this.#generations) {
      if (this.#leases.generation(group) !== known) return this.refresh();
    }
  }

  /** A round as soon as possible, in the background. A round that fails is made up for by the next. */
  refresh(): void {
    if (this.#members.size > 0) this.#runRound().catch(() => undefined);
  }

  #forget(member: LocalMember): void {
    this.#members.delete(member.id);
    if (this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beatMs(): number {
    return this.#ttlMs / BEATS_PER_TTL;
  }

  #beatOrWatch(): void {
    const now = performance.now();
    if (now - this.#lastRound >= this.#beatMs()) return this.refresh();
    if (now - this.#lastLivenessCheck < LIVENESS_CHECK_MS) return;
    this.#lastLivenessCheck = now;
    for (const { row } of this.#silence.values()) if (this.#leases.isDead(row)) return this.refresh();
  }

  async #change(group: string, change: () => void): Promise<void> {
    await this.#database.retrying(() =>
      this.#database.unsyncedTransaction(() => {
        change();
        this.#leases.bumpGeneration(group);
      }),
    );
    announceGroupsChanged(this.#database.realPath);
  }

  /** One round at a time; whoever asks while one runs gets the one after it. */
  #runRound(): Promise<void> {
    if (this.#nextRound !== undefined) return this.#nextRound;
    if (this.#round === undefined) return this.#startRound();
    this.#nextRound = this.#round
      .catch(() => undefined)
      .then(() => {
        this.#nextRound = undefined;
        return this.#startRound();
      });
    return this.#nextRound;
  }

  #startRound(): Promise<void> {
    const round = this.#doRound().finally(() => {
      this.#round = undefined;
    });
    this.#round = round;
    return round;
  }

  async #doRound(): Promise<void> {
    const elapsedMs = this.#takeElapsed();
    const groups = new Map<string, LocalMember[]>();
    for (const member of this.#members.values())
      groups.set(member.group, [...(groups.get(member.group) ?? []), member]);
    const results = await this.#database.retrying(() =>
      this.#database.unsyncedTransaction(() =>
        [...groups].map(([group, members]) => this.#roundOf(group, members, elapsedMs)),
      ),
    );
    this.#silence.clear();
    this.#generations.clear();
    for (const { group, generation, silence, holdings } of results) {
      this.#generations.set(group, generation);
      for (const [id, entry] of silence) this.#silence.set(id, entry);
      for (const [id, holding] of holdings) this.#members.get(id)?.onHolding(holding);
    }
    if (results.some((result) => result.changed)) announceGroupsChanged(this.#database.realPath);
  }

  #roundOf(group: string, members: readonly LocalMember[], elapsedMs: number) {
    let changed = false;
    for (const member of members) if (this.#leases.beat(member)) changed = true;
    const localIds = new Set(members.map((member) => member.id));
    const silence = new Map<string, Silence>();
    for (const row of this.#leases.members(group)) {
      if (localIds.has(row.id)) continue;
      const before = this.#silence.get(row.id);
      const forMs = before?.row.beat === row.beat ? before.forMs + elapsedMs : 0;
      if (forMs >= this.#ttlMs || this.#leases.isDead(row)) {
        this.#leases.remove(row.id);
        changed = true;
      } else {
        silence.set(row.id, { row, forMs });
      }
    }
    const claimed = this.#leases.claim(group, localIds);
    changed ||= claimed.changed;
    if (changed) this.#leases.bumpGeneration(group);
    return { group, changed, silence, holdings: claimed.holdings, generation: this.#leases.generation(group) };
  }

  /**
   * Time since the last round, without the time that this process itself may have been stopped: having slept, it cannot
   * say that others were silent.
   */
  #takeElapsed(): number {
    const now = performance.now();
    const elapsedMs = Math.min(now - this.#lastRound, 2 * this.#beatMs());
    this.#lastRound = now;
    return elapsedMs;
  }
}
