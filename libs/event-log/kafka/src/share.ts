export interface Member {
  id: string;
  topics: readonly string[];
  /** By topic the partitions it held before, those that it would least like to lose first. */
  held: Readonly<Record<string, readonly number[]>>;
}

/**
 * Who gets what: of each topic every member that subscribes to it gets the same number of partitions, or one more. As
 * many as possible stay where they are; what is over goes to those who have least of all topics together.
 */
export function share(
  members: readonly Member[],
  topics: ReadonlyMap<string, readonly number[]>,
): Map<string, Record<string, number[]>> {
  const shares = new Map<string, Record<string, number[]>>(members.map(({ id }) => [id, {}]));
  const load = new Map<string, number>(members.map(({ id }) => [id, 0]));
  for (const [topic, partitions] of topics) {
    const takers = members.filter((member) => member.topics.includes(topic));
    if (takers.length === 0) continue;
    for (const [id, taken] of shareTopic(takers, topic, partitions, load)) {
      if (taken.length === 0) continue;
      (shares.get(id) as Record<string, number[]>)[topic] = taken.sort((a, b) => a - b);
      load.set(id, (load.get(id) ?? 0) + taken.length);
    }
  }
  return shares;
}

function shareTopic(
  takers: readonly Member[],
  topic: string,
  partitions: readonly number[],
  load: ReadonlyMap<string, number>,
): Map<string, number[]> {
  const free = new Set(partitions);
  const held = new Map<string, number[]>();
  for (const { id, held: before } of sortedById(takers)) {
    const mine = (before[topic] ?? []).filter((partition) => free.has(partition));
    for (const partition of mine) free.delete(partition);
    held.set(id, mine);
  }
  const count = (id: string) => held.get(id)?.length ?? 0;
  const least = Math.floor(partitions.length / takers.length);
  const oneMore = partitions.length % takers.length;
  // Those who have more than the least already keep it; then those who have little else.
  const order = sortedById(takers).sort(
    (a, b) => count(b.id) - count(a.id) || (load.get(a.id) ?? 0) - (load.get(b.id) ?? 0),
  );
  const quotas = new Map(order.map(({ id }, index) => [id, least + (index < oneMore ? 1 : 0)]));
  const shares = new Map<string, number[]>();
  for (const { id } of order) {
    const mine = held.get(id) as number[];
    const quota = quotas.get(id) as number;
    shares.set(id, mine.slice(0, quota));
    for (const partition of mine.slice(quota)) free.add(partition);
  }
  const rest = [...free].sort((a, b) => a - b);
  for (const [id, mine] of shares) {
    while (mine.length < (quotas.get(id) as number)) mine.push(rest.shift() as number);
  }
  return shares;
}

function sortedById(members: readonly Member[]): Member[] {
  return [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
}
