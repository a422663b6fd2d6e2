import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Child, Consumer, consumerProcess, readAll, record, type ConsumerChildMessage } from '@whale/event-log-testing';
import type { SqliteEventLogOptions } from './sqlite-event-log.ts';
import type { AppenderChildMessage } from './testing/appender-child.ts';
import { temporaryFolder, temporaryLog } from './testing/temporary.ts';

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 10 });

function member(options: SqliteEventLogOptions, group: string, topic: string): Child<ConsumerChildMessage> {
  const module = new URL('./testing/open-log.ts', import.meta.url);
  const child = consumerProcess({ module, argument: JSON.stringify(options) }, group, topic);
  onTestFinished(() => child.kill());
  return child;
}

describe('several processes on one file', () => {
  it('L1 to L3, L5: append and consume at once without loss, doubles or disorder', { timeout: 60_000 }, async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await temporaryLog({ path });
    await log.ensureTopics([{ name: 't', partitions: 3 }]);
    const consumer = await new Consumer().start(log, 'g', 't');
    const elsewhere = member({ path }, 'g', 't');
    await eventually(() => expect(elsewhere.messages.some(({ type }) => type === 'assigned')).toBe(true));

    const module = new URL('./testing/appender-child.ts', import.meta.url);
    const appenders = ['p', 'q'].map(
      (name) => new Child<AppenderChildMessage>(module, [path, 't', name, '40', '25', '100']),
    );
    for (let batch = 0; batch < 40; batch++) {
      await log.append(
        Array.from({ length: 25 }, (_, index) =>
          record('t', `r/${index % 7}`, 'v', { producer: 'r', batch: `${batch}`, index: `${index}` }),
        ),
      );
    }
    for (const appender of appenders) expect([await appender.exit(), appender.complaints]).toEqual([0, '']);

    const all = await readAll(log, 't');
    expect(all).toHaveLength(3 * 40 * 25);
    const byKey = new Map<string, number[]>();
    for (const { key, headers } of all) {
      byKey.set(key, [...(byKey.get(key) ?? []), Number(headers['batch']) * 1000 + Number(headers['index'])]);
    }
    expect(byKey.size).toBe(21);
    for (const order of byKey.values()) expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));

    const expected = new Set(all.map(({ partition, offset }) => `${partition}:${offset}`));
    await eventually(() => {
      const seen = new Set(consumer.records.map(({ partition, offset }) => `${partition}:${offset}`));
      for (const said of elsewhere.messages) {
        if (said.type === 'batch') for (const offset of said.offsets) seen.add(`${said.partition}:${offset}`);
      }
      expect(seen).toEqual(expected);
    });
    expect(consumer.errors).toEqual([]);
    expect(elsewhere.messages.some(({ type }) => type === 'batch')).toBe(true);
    await consumer.stop();
  });

  it('S6, S7: a member that was stopped for longer than the TTL delivers nothing of what it has lost', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const leaseTtlMs = 800;
    const log = await temporaryLog({ path, leaseTtlMs });
    await log.ensureTopics([{ name: 't', partitions: 2 }]);
    const child = member({ path, leaseTtlMs }, 'g', 't');
    await eventually(() => expect(child.messages).toContainEqual({ type: 'assigned', partitions: [0, 1] }));
    child.signal('SIGSTOP');

    const consumer = await new Consumer().start(log, 'g', 't');
    expect(consumer.assigned).toEqual([]);
    await log.append(Array.from({ length: 20 }, (_, index) => record('t', `key-${index}`, `${index}`)));
    const before = performance.now();
    await eventually(() => expect(consumer.assigned).toEqual([0, 1]));
    expect(performance.now() - before).toBeGreaterThan(leaseTtlMs / 2);
    await eventually(() => expect(consumer.records).toHaveLength(20));

    const saidBefore = child.messages.length;
    child.signal('SIGCONT');
    // It comes in again as a member and gets its share, but only after it has let go of all that it held.
    await eventually(() => expect(consumer.assigned).toHaveLength(1));
    await eventually(() => expect(child.messages.slice(saidBefore).some(({ type }) => type === 'batch')).toBe(true));
    const said = child.messages.slice(saidBefore);
    const firstBatch = said.findIndex(({ type }) => type === 'batch');
    const revoked = said.slice(0, firstBatch).filter((each) => each.type === 'revoked');
    expect(revoked.map(({ partition }) => partition).sort()).toEqual([0, 1]);
    const kept = consumer.assigned[0];
    expect(said.some((each) => each.type === 'batch' && each.partition === kept)).toBe(false);
    expect(child.complaints).toBe('');
    await consumer.stop();
  });
});
