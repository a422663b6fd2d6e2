import { isDead, type ProcessIdentity } from './process-identity.ts';
import { assign, type AssignablePartition } from './assignment.ts';
import type { LogDatabase } from './database.ts';

export interface MemberRow extends ProcessIdentity {
  id: string;
  topics: readonly string[];
  beat: number;
}

/** A partition that a member holds, with the fencing token of this holding: no two holdings share one. */
export interface Lease {
  partitionId: number;
  token: number;
}

export interface Holding {
  leases: readonly Lease[];
  /** Held, but another member's by rights: to be released as soon as no handler works on it. */
  surrender: ReadonlySet<number>;
}

/**
 * The consumer groups as they lie in the file. Synchronous; all that changes something is to be called inside a
 * transaction, which makes each change of owner atomic between processes.
 */
export class LeaseStore {
  readonly #database: LogDatabase;
  readonly #self: ProcessIdentity;

  constructor(database: LogDatabase, self: ProcessIdentity) {
    this.#database = database;
    this.#self = self;
  }

  members(group: string): MemberRow[] {
    const rows = this.#database.rows<Omit<MemberRow, 'topics'> & { topics: string }>(
      'SELECT id, topics, host, boot, pid, process_start AS processStart, beat FROM members WHERE group_name = ? ORDER BY id',
      group,
    );
    return rows.map((row) => ({ ...row, topics: JSON.parse(row.topics) as string[] }));
  }

  /** Proof of life. A member that was thrown out in the meantime comes in again. Returns whether the group changed. */
  beat(member: { id: string; group: string; topics: readonly string[] }): boolean {
    if (this.#database.run('UPDATE members SET beat = beat + 1 WHERE id = ?', member.id) > 0) return false;
    const { host, boot, pid, processStart } = this.#self;
    this.#database.run(
      'INSERT INTO members (id, group_name, topics, host, boot, pid, process_start) VALUES (?, ?, ?, ?, ?, ?, ?)',
      member.id,
      member.group,
      JSON.stringify(member.topics),
      host,
      boot,
      pid,
      processStart,
    );
    return true;
  }

  remove(memberId: string): void {
    this.#database.run('DELETE FROM members WHERE id = ?', memberId);
    this.#database.run('UPDATE leases SET owner = NULL WHERE owner = ?', memberId);
  }

  release(group: string, memberId: string, lease: Lease): void {
    this.#database.run(
      'UPDATE leases SET owner = NULL WHERE group_name = ? AND partition_id = ? AND owner = ? AND token = ?',
      group,
      lease.partitionId,
      memberId,
      lease.token,
    );
  }

  holds(group: string, memberId: string, lease: Lease): boolean {
    const row = this.#database.row(
      'SELECT 1 AS held FROM leases WHERE group_name = ? AND partition_id = ? AND owner = ? AND token = ?',
      group,
      lease.partitionId,
      memberId,
      lease.token,
    );
    return row !== undefined;
  }

  isDead(member: MemberRow): boolean {
    return isDead(member, this.#self);
  }

  /** Gives each of `localIds` the free partitions that are its share. Returns what they hold and whether that is new. */
  claim(group: string, localIds: ReadonlySet<string>): { holdings: ReadonlyMap<string, Holding>; changed: boolean } {
    const members = this.members(group);
    const partitions = this.#partitions(group, members);
    const target = assign(partitions, members);
    const holdings = new Map([...localIds].map((id) => [id, { leases: [] as Lease[], surrender: new Set<number>() }]));
    let changed = false;
    for (const { id, owner, token } of partitions) {
      const rightful = target.get(id);
      if (owner === null && rightful !== undefined && localIds.has(rightful)) {
        changed = true;
        this.#take(group, id, rightful);
        holdings.get(rightful)?.leases.push({ partitionId: id, token: token + 1 });
      } else if (owner !== null) {
        const holding = holdings.get(owner);
        holding?.leases.push({ partitionId: id, token });
        if (rightful !== owner) holding?.surrender.add(id);
      }
    }
    return { holdings, changed };
  }

  #take(group: string, partitionId: number, owner: string): void {
    this.#database.run(
      'INSERT INTO leases (group_name, partition_id, owner, token) VALUES (?, ?, ?, 1) ' +
        'ON CONFLICT DO UPDATE SET owner = excluded.owner, token = token + 1',
      group,
      partitionId,
      owner,
    );
  }

  /** The partitions that the members subscribe to. One whose owner is no member any more is free. */
  #partitions(group: string, members: readonly MemberRow[]): (AssignablePartition & { token: number })[] {
    const ids = new Set(members.map((member) => member.id));
    const topics = new Set(members.flatMap((member) => member.topics));
    const rows = this.#database.rows<AssignablePartition & { token: number }>(
      'SELECT p.id, p.topic, l.owner, coalesce(l.token, 0) AS token FROM partitions p ' +
        'LEFT JOIN leases l ON l.partition_id = p.id AND l.group_name = ? ' +
        'WHERE p.topic IN (SELECT value FROM json_each(?)) ORDER BY p.id',
      group,
      JSON.stringify([...topics]),
    );
    return rows.map((row) => (row.owner !== null && ids.has(row.owner) ? row : { ...row, owner: null }));
  }

  bumpGeneration(group: string): void {
    this.#database.run(
      'INSERT INTO groups (name, generation) VALUES (?, 1) ON CONFLICT DO UPDATE SET generation = generation + 1',
      group,
    );
  }

  generation(group: string): number {
    const row = this.#database.row<{ generation: number }>('SELECT generation FROM groups WHERE name = ?', group);
    return row?.generation ?? 0;
  }
}
