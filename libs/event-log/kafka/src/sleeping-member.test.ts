import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Consumer, consumerProcess, keyPerPartition, record } from '@whale/event-log-testing';
import { describeKafka } from '@whale/kafka-broker/testing';
import { temporaryLog, temporarySettings } from './support/temporary.ts';

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 20 });

describeKafka('a member that sleeps longer than its session', () => {
  it(
    'K3: delivers nothing more of what it held, and begins anew where the checkpoint says',
    { timeout: 90_000 },
    async () => {
      const settings = await temporarySettings();
      const log = await temporaryLog(settings);
      await log.ensureTopics([{ name: 't', partitions: 2 }]);
      const keys = await keyPerPartition(log, 't');
      const append = (value: string) => log.append(keys.map((key) => record('t', key, value)));
      const { brokers, topicPrefix, groupPrefix } = settings;
      const env = {
        WHALE_KAFKA_TOPIC_PREFIX: topicPrefix,
        WHALE_KAFKA_GROUP_PREFIX: groupPrefix,
        WHALE_KAFKA_SESSION_TIMEOUT_MS: '6000',
      };
      const child = consumerProcess(
        {
          module: new URL('./testing/open-log.ts', import.meta.url),
          argument: JSON.stringify({ url: `kafka://${brokers.join(',')}`, env }),
        },
        'g',
        't',
      );
      onTestFinished(() => child.kill());
      const batches = () => child.messages.flatMap((each) => (each.type === 'batch' ? [each] : []));
      await append('0');
      await eventually(() => expect(batches().map(({ offsets }) => offsets)).toEqual([[0], [0]]));
      const survivor = await new Consumer().start(log, 'g', 't');
      onTestFinished(() => survivor.stop());
      await eventually(() => expect(survivor.assigned).toHaveLength(1));
      await sleep(1_000);
      child.signal('SIGSTOP');
      await eventually(() => expect(survivor.assigned).toEqual([0, 1]));
      await append('1');
      await eventually(() => expect(survivor.values.filter((value) => value === '1')).toHaveLength(2));
      const before = child.messages.length;
      child.signal('SIGCONT');
      // It has no checkpoint: what it is given begins at the start of the log, and not where it was.
      await eventually(() =>
        expect(
          batches()
            .slice(2)
            .map(({ offsets }) => offsets),
        ).toEqual([[0, 1]]),
      );
      const told = child.messages.slice(before).map(({ type }) => type);
      expect(told.filter((type) => type !== 'assigned')).toEqual(['revoked', 'batch']);
      expect(child.complaints).toBe('');
    },
  );
});
