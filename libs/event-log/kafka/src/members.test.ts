import { expect, it, vi } from 'vitest';
import { Consumer, consumerProcess, keyPerPartition, record } from '@whale/event-log-testing';
import { describeKafka } from '@whale/kafka-broker/testing';
import { consuming, temporaryLog, temporarySettings } from './support/temporary.ts';

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 40_000, interval: 20 });

describeKafka(
  'members of a group on Kafka',
  () => {
    it.for([1, 2, 4])('L3, L5: %i members together see each record once', async (count, test) => {
      const settings = await temporarySettings();
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 6 }]);
      const keys = await keyPerPartition(log, 't');
      const checkpoints = new Map<number, number>();
      const members: Consumer[] = [];
      for (let n = 0; n < count; n++) {
        members.push(
          await consuming(test, await temporaryLog(test, settings), Object.assign(new Consumer(), { checkpoints })),
        );
        await log.append(keys.map((key) => record('t', key, `${n}`)));
      }
      await eventually(() => {
        const seen = members.flatMap(({ records }) => records.map(({ partition, value }) => `${partition}:${value}`));
        expect(new Set(seen).size).toBe(6 * count);
        expect(seen).toHaveLength(6 * count);
        expect(members.map(({ assigned }) => assigned.length).sort()).toEqual(
          { 1: [6], 2: [3, 3], 4: [1, 1, 2, 2] }[count],
        );
      });
    });

    // Where a busy broker changes the group twice, the first member has to begin anew: then another try shows it.
    it(
      'a member that joins takes over its share; the others keep the rest without asking for a checkpoint again',
      { retry: 2 },
      async (test) => {
        const settings = await temporarySettings();
        const log = await temporaryLog(test, settings);
        await log.ensureTopics([{ name: 't', partitions: 4 }]);
        const first = await consuming(test, log);
        await eventually(() => expect(first.asked).toHaveLength(4));
        const second = await consuming(test, await temporaryLog(test, settings));
        await eventually(() => expect([first.assigned.length, second.assigned.length]).toEqual([2, 2]));
        expect(first.revoked).toHaveLength(2);
        expect(first.asked).toHaveLength(4);
        await second.stop();
        await eventually(() => expect(first.assigned).toHaveLength(4));
        await eventually(() => expect(first.asked).toHaveLength(6));
      },
    );

    it('K3: one that sleeps longer than its session delivers nothing more of what it held', async (test) => {
      const settings = await temporarySettings();
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 2 }]);
      const keys = await keyPerPartition(log, 't');
      const append = (value: string) => log.append(keys.map((key) => record('t', key, value)));
      const { brokers, topicPrefix, groupPrefix } = settings;
      const env = {
        WHALE_KAFKA_TOPIC_PREFIX: topicPrefix,
        WHALE_KAFKA_GROUP_PREFIX: groupPrefix,
        WHALE_KAFKA_SESSION_TIMEOUT_MS: '4000',
      };
      const child = consumerProcess(
        {
          module: new URL('./testing/open-log.ts', import.meta.url),
          argument: JSON.stringify({ url: `kafka://${brokers.join(',')}`, env }),
        },
        'g',
        't',
      );
      test.onTestFinished(() => child.kill());
      const told = <Type extends string>(type: Type) => child.messages.filter((each) => each.type === type);
      const batches = () => child.messages.flatMap((each) => (each.type === 'batch' ? [each.offsets] : []));
      await append('0');
      await eventually(() => expect(batches()).toEqual([[0], [0]]));
      const survivor = await consuming(test, log);
      await eventually(() => {
        expect(survivor.assigned).toHaveLength(1);
        expect(told('assigned').at(-1)).toMatchObject({ partitions: [expect.any(Number) as number] });
      });
      child.signal('SIGSTOP');
      await eventually(() => expect(survivor.assigned).toEqual([0, 1]));
      await append('1');
      await eventually(() => expect(survivor.values.filter((value) => value === '1')).toHaveLength(2));
      const before = child.messages.length;
      child.signal('SIGCONT');
      // It has no checkpoint: what it is given begins at the start of the log, and not where it was.
      await eventually(() => expect(batches().slice(2)).toEqual([[0, 1]]));
      const since = child.messages.slice(before).map(({ type }) => type);
      expect(since.filter((type) => type !== 'assigned')).toEqual(['revoked', 'batch']);
      expect(child.complaints).toBe('');
    });

    it('K3: a handler longer than the session is not thrown out, and its records come once', async (test) => {
      const log = await temporaryLog(test, await temporarySettings({ WHALE_KAFKA_SESSION_TIMEOUT_MS: '4000' }));
      await log.ensureTopics([{ name: 't', partitions: 1 }]);
      await log.append([record('t', 'k', 'slow')]);
      const consumer = new Consumer();
      consumer.handler = () => new Promise((resolve) => setTimeout(resolve, 5_500));
      await consuming(test, log, consumer);
      await eventually(() => expect(consumer.values).toEqual(['slow']));
      expect(consumer.batches).toHaveLength(1);
      expect(consumer.revoked).toEqual([]);
    });
  },
  { timeout: 90_000, concurrent: true },
);
