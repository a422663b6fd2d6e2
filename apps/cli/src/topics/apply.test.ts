import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPICS } from '@whale/contracts';
import { describe, expect, it } from 'vitest';
import type { TopicPlan } from '@whale/event-log-kafka';
import { EnvironmentError } from '@whale/kernel';
import { applied, appliedText, checkPartitions } from './apply.ts';

const DAY_MS = 86_400_000;
const there: TopicPlan = {
  topic: 'a',
  topicOnBroker: 'team.a',
  state: 'as-defined',
  partitions: { is: 3, defined: 3 },
  retentionMs: { is: -1, defined: -1 },
  losesBy: [],
  replication: { is: 1, defined: undefined },
};
const none = { is: undefined };
const missing: TopicPlan = {
  ...there,
  state: 'missing',
  partitions: { ...none, defined: 3 },
  retentionMs: { ...none, defined: 30 * DAY_MS },
  replication: { ...none, defined: 2 },
};
const textOf = (...plan: TopicPlan[]) => appliedText(plan.map(applied));

describe('what was done to the topics', () => {
  it('is nothing where all are as defined', () => {
    expect(textOf(there)).toMatch(/^team\.a +as defined +3 +for ever +1\n\nNothing to do/m);
  });

  it('names what was created and what of it the brokers decide', () => {
    const text = textOf(missing, { ...missing, topicOnBroker: 'b', replication: { ...none, defined: undefined } });
    expect(text).toMatch(/^team\.a +created +3 +30 days +2$/m);
    expect(text).toMatch(/^b +created +3 +30 days +brokers' default$/m);
    expect(text).toMatch(/\n\n2 topics created\.$/);
  });

  it('names the retention before and after', () => {
    const text = textOf({ ...there, state: 'differs', retentionMs: { is: 3_600_000, defined: -1 } });
    expect(text).toMatch(/retention set +3 +3600000 ms → for ever/);
    expect(text).toMatch(/\n\nRetention of 1 topic set\.$/);
  });

  it('names what else would have deleted events', () => {
    const text = textOf({ ...there, state: 'differs', losesBy: ['cleanup.policy=compact'] });
    expect(text).toMatch(/retention set +3 +for ever +1\n/);
    expect(text).toContain('team.a was set to cleanup.policy=compact, by which events are lost: no longer.');
  });

  it('tells what differs and stays: more partitions, other copies', () => {
    const text = textOf({ ...there, partitions: { is: 6, defined: 3 }, replication: { is: 1, defined: 3 } });
    expect(text).toContain('team.a has 6 partitions, defined 3: more do no harm.');
    expect(text).toContain('team.a has 1 copies, WHALE_KAFKA_REPLICATION says 3: kafka-reassign-partitions.sh');
  });

  it('is told to programs with null for what the brokers decide', () => {
    expect(applied({ ...missing, replication: { ...none, defined: undefined } })).toEqual({
      topic: 'a',
      topicOnBroker: 'team.a',
      done: 'created',
      partitions: { was: null, defined: 3 },
      retentionMs: { was: null, defined: 30 * DAY_MS },
      lostBy: [],
      replication: { was: null, defined: null },
    });
  });

  it('is an error with a way out where a topic has too few partitions', () => {
    expect(() => checkPartitions([there, missing])).not.toThrow();
    const short: TopicPlan = { ...there, state: 'short', partitions: { is: 1, defined: 3 } };
    expect(() => checkPartitions([there, short])).toThrow(EnvironmentError);
    expect(() => checkPartitions([there, short])).toThrow(/team\.a: 1, defined 3\n.*WHALE_KAFKA_TOPIC_PREFIX/s);
  });
});

it('the table of the documentation is that of the contracts', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/kafka.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(whale\.\S+)` +\| (\S+) +\| (\d+) +\|$/gm)].map(([, ...cells]) => cells);
  expect(rows).toEqual(
    Object.entries(TOPICS).map(([topic, { writer, partitions }]) => [topic, writer, `${partitions}`]),
  );
});
