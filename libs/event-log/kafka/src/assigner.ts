import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';
import { z } from 'zod';
import { share, type Member } from './share.ts';

const { MemberAssignment, MemberMetadata } = AssignerProtocol;

/** Partitions by topic, as they are named on the broker. */
export type Holding = Readonly<Record<string, readonly number[]>>;

const HoldingText = z.record(z.string(), z.array(z.number().int().nonnegative()));

const NAME = 'whale-sticky';
const VERSION = 0;

/**
 * Shares partitions evenly and moves as few as it can. kafkajs 2.2.4 speaks neither the cooperative protocol nor static
 * membership (it sends no `group.instance.id`), so a change of members stops all of them for a moment; but with this
 * assigner each keeps what it held, and goes on with it where it was. `held` is asked when the member joins; what a
 * handler works on comes first.
 */
export function stickyAssigner(held: () => Holding): PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: MemberMetadata.encode({
        version: VERSION,
        topics: [...topics],
        userData: Buffer.from(JSON.stringify(held())),
      }),
    }),
    assign: async ({ members, topics }) => {
      const all = members.map(({ memberId, memberMetadata }) => memberOf(memberId, memberMetadata));
      const subscribed = [...new Set([...topics, ...all.flatMap((member) => member.topics)])].sort();
      // During an upgrade another member may subscribe to a topic that this one has not heard of.
      await cluster.addMultipleTargetTopics(subscribed);
      const partitions = new Map(
        subscribed.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).map((each) => each.partitionId)]),
      );
      return [...share(all, partitions)].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: VERSION,
          assignment,
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

function memberOf(id: string, metadata: Buffer): Member {
  const decoded = MemberMetadata.decode(metadata);
  return { id, topics: decoded?.topics ?? [], held: holdingOf(decoded?.userData) };
}

/** What a member of another kind may have sent is no holding. */
function holdingOf(userData: Buffer | undefined): Holding {
  try {
    return HoldingText.parse(JSON.parse(userData?.toString() ?? ''));
  } catch {
    return {};
  }
}
