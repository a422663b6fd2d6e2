import type { WireRecord } from '@whale/contracts';
import type { Position, TopicPartition } from '@whale/event-log';
import type { StoreError } from './errors.ts';

/**
 * What a service keeps between events. Invariants, each named by a test of the contract suite:
 * D1 `commit` is one transaction: inbox, documents, work, outbox and checkpoint change together or not at all.
 * D2 An event id enters the inbox once; a unit that brings a known id is refused as a whole (DuplicateDelivery).
 * D3 A checkpoint moves only from the offset that the unit expects: a consumer that lost its partition cannot commit.
 * D4 A work item is finished, and has effects on the way, only by the owner of its lease: so they enter once.
 * D5 A document changes only from the revision that the unit has read: two processes of one service, each with
 *    partitions of its own, do not overwrite each other's state.
 * D6 The outbox forgets just the records that were sent: one that another process commits meanwhile stays. Records of
 *    units that build on each other (by a document, or one after the other) come in the order of the units.
 */
export interface ServiceStore {
  /**
   * Why the store is of no use to this process any more: what it held is gone, or made anew, while subscriptions in memory
   * go on from where they were. Everything fails with it then, until a new start rebuilds it from the log.
   */
  readonly lost: StoreError | null;
  /** Where it lies, for messages: nothing secret. */
  readonly place: string;
  /** The name of the log that the store follows; `log` from now on, where it has followed none. */
  follow(log: string): Promise<string>;
  checkpoint(partition: TopicPartition): Promise<number | undefined>;
  /** The last record of each partition that was handled; none for a partition from before there were marks. */
  marks(): Promise<readonly Mark[]>;
  /** Those of the ids that the inbox knows. */
  seen(eventIds: readonly string[]): Promise<ReadonlySet<string>>;
  documents(keys: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  /** The same with the revision that a unit names in `basedOn`. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>>;
  /** All documents whose key begins with `prefix`, by key. */
  documentsUnder(prefix: string): Promise<ReadonlyMap<string, unknown>>;
  commit(unit: UnitOfWork): Promise<void>;
  /** Records that wait for the relay, oldest first. */
  outbox(limit: number): Promise<readonly OutboxRecord[]>;
  outboxSent(sequences: readonly number[]): Promise<void>;
  /** Leases up to `limit` items that are due and not leased to a living owner, oldest first. */
  claimWork(claim: WorkClaim): Promise<readonly WorkItem[]>;
  renewLeases(owner: string, ids: readonly string[], until: number): Promise<void>;
  /** Gives leases back, so that another process can go on at once. */
  releaseLeases(owner: string): Promise<void>;
  workPending(): Promise<number>;
  outboxPending(): Promise<number>;
  close(): Promise<void>;
}

/** A record and what it is known by: that of another log, or of one made anew, differs. */
export interface Mark extends Position {
  hash: string;
}

export interface StoredDocument {
  value: unknown;
  /** Rises with each write. */
  revision: number;
}

export interface UnitOfWork {
  inbox?: readonly string[];
  /** A null value deletes the document. */
  documents?: ReadonlyMap<string, unknown>;
  /** Revisions of the documents that the unit has read, 0 where there was none. */
  basedOn?: ReadonlyMap<string, number>;
  outbox?: readonly WireRecord[];
  work?: readonly NewWork[];
  /** Items that the unit is an effect of, and that go on. */
  held?: readonly HeldWork[];
  finished?: readonly HeldWork[];
  deferred?: readonly DeferredWork[];
  checkpoint?: { from: number | undefined; to: Position; mark?: Mark | undefined };
}

export interface OutboxRecord extends WireRecord {
  sequence: number;
}

export interface NewWork {
  /** Unique: the id of the event that asks for the work. A second item of the same id is ignored. */
  id: string;
  kind: string;
  payload: unknown;
}

export interface WorkItem extends NewWork {
  /** Failed attempts so far. */
  attempts: number;
}

/** A work item and who must hold its lease. */
export interface HeldWork {
  id: string;
  owner: string;
}

export interface DeferredWork extends HeldWork {
  /** ms since epoch. */
  notBefore: number;
  attempts: number;
}

export interface WorkClaim {
  owner: string;
  kinds: readonly string[];
  limit: number;
  now: number;
  leaseUntil: number;
}
