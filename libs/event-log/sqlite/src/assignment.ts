export interface AssignablePartition {
  id: number;
  topic: string;
  owner: string | null;
}

export interface GroupMember {
  id: string;
  topics: readonly string[];
}

/**
 * Who should hold each partition of a group. A function of its arguments alone, so that all members agree.
 * Topics that the same members subscribe to are shared together: shares differ by one at most, and an owner keeps what
 * it has up to its share, so that as few partitions as possible move.
 */
export function assign(
  partitions: readonly AssignablePartition[],
  members: readonly GroupMember[],
): ReadonlyMap<number, string> {
  const target = new Map<number, string>();
  const classes = new Map<string, { eligible: string[]; partitions: AssignablePartition[] }>();
  for (const partition of [...partitions].sort((a, b) => a.id - b.id)) {
    const eligible = members.filter((member) => member.topics.includes(partition.topic)).map((member) => member.id);
    if (eligible.length === 0) continue;
    eligible.sort();
    const key = eligible.join('\n');
    const found = classes.get(key) ?? { eligible, partitions: [] };
    found.partitions.push(partition);
    classes.set(key, found);
  }
  for (const { eligible, partitions: shared } of classes.values()) share(eligible, shared, target);
  return target;
}

function share(
  members: readonly string[],
  partitions: readonly AssignablePartition[],
  target: Map<number, string>,
): void {
  const load = new Map(members.map((id) => [id, 0]));
  for (const { owner } of partitions) {
    if (owner !== null && load.has(owner)) load.set(owner, (load.get(owner) ?? 0) + 1);
  }
  const byLoad = [...members].sort((a, b) => (load.get(b) ?? 0) - (load.get(a) ?? 0) || (a < b ? -1 : 1));
  const least = Math.floor(partitions.length / members.length);
  const withOneMore = partitions.length % members.length;
  const room = new Map(byLoad.map((id, rank) => [id, least + (rank < withOneMore ? 1 : 0)]));

  const give = (partition: AssignablePartition, member: string) => {
    target.set(partition.id, member);
    room.set(member, (room.get(member) ?? 0) - 1);
  };
  const homeless = partitions.filter((partition) => {
    const stays = partition.owner !== null && (room.get(partition.owner) ?? 0) > 0;
    if (stays) give(partition, partition.owner as string);
    return !stays;
  });
  for (const partition of homeless) {
    const taker = byLoad.find((id) => (room.get(id) ?? 0) > 0);
    if (taker !== undefined) give(partition, taker);
  }
}
