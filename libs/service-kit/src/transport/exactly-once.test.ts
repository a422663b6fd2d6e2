import { onTestFinished, expect, test, vi } from 'vitest';
import { startService, type Platform, type RunningService, type ServiceDefinition } from '../service.ts';
import type { ServiceStore } from '../store/service-store.ts';
import { ECHO_TOPIC, echoService, request } from '../support/echo-service.ts';
import { recordOf, recordsOn, temporaryPlatform } from '../support/temporary-platform.ts';

async function running(definition: ServiceDefinition<null>, platform: Platform): Promise<RunningService> {
  const service = await startService(definition, platform, {});
  onTestFinished(() => service.stop());
  return service;
}

const stop = async (service: RunningService) => service.stop();

test('T1: an event that is on the log twice takes effect once', async () => {
  const platform = await temporaryPlatform();
  const handled: string[] = [];
  await running(
    echoService((reason) => void handled.push(reason)),
    platform,
  );
  const records = ['a', 'b', 'a', 'a'].map((id) => recordOf(request(id, id)));
  await platform.log.append(records);
  await platform.log.append(records);
  await platform.log.append([recordOf(request('c', 'c'))]);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(3), 10_000);
  expect(handled.sort()).toEqual(['a', 'b', 'c']);
});

test('T1: an event whose handling is cut off before the commit is handled again, with one effect', async () => {
  const platform = await temporaryPlatform();
  let cut = true;
  const flaky: Platform = {
    ...platform,
    store: (name) => {
      const store = platform.store(name);
      const commit: ServiceStore['commit'] = async (unit) => {
        if (cut) {
          cut = false;
          throw new Error('the disk is gone for a moment');
        }
        return store.commit(unit);
      };
      return new Proxy(store, {
        get: (target, key) => (key === 'commit' ? commit : bound(target, key)),
      });
    },
  };
  const handled: string[] = [];
  await running(
    echoService((reason) => void handled.push(reason)),
    flaky,
  );
  await platform.log.append([recordOf(request('x', 'again'))]);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(1), 10_000);
  expect(handled).toEqual(['again', 'again']);
  expect(platform.troubles).toEqual([expect.stringContaining('the disk is gone for a moment; trying again')]);
});

test('T1: what was committed and not published is published after a crash, once', async () => {
  const platform = await temporaryPlatform();
  const deaf = new Proxy(platform.log, {
    get: (target, key) => (key === 'append' ? () => new Promise(() => undefined) : bound(target, key)),
  });
  // A relay that never comes back is a process that dies between commit and publishing: its stop is not waited for.
  const first = await startService(echoService(), { ...platform, log: deaf }, {});
  await platform.log.append([recordOf(request('x', 'once'))]);
  const store = platform.store('proposer');
  onTestFinished(() => store.close());
  await vi.waitFor(async () => expect(await store.outbox(9)).toHaveLength(1), 10_000);
  expect(await recordsOn(platform.log, ECHO_TOPIC)).toEqual([]);
  void stop(first);

  await running(echoService(), platform);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(1), 10_000);
  expect(await store.outbox(9)).toEqual([]);
});

test('a crash between publishing and forgetting publishes again under the same id', async () => {
  const platform = await temporaryPlatform();
  let cut = true;
  const forgetful: Platform = {
    ...platform,
    store: (name) =>
      new Proxy(platform.store(name), {
        get: (target, key) => {
          if (key !== 'outboxSent' || !cut) return bound(target, key);
          cut = false;
          return () => Promise.reject(new Error('killed'));
        },
      }),
  };
  await running(echoService(), forgetful);
  await platform.log.append([recordOf(request('x', 'once'))]);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(2), 10_000);
  const [one, two] = await recordsOn(platform.log, ECHO_TOPIC);
  expect(two?.headers['ce_id']).toBe(one?.headers['ce_id']);
});

test('T1: state that another process changes meanwhile is read again and not overwritten', async () => {
  const platform = await temporaryPlatform();
  let raced = false;
  await running(
    echoService(async () => {
      if (raced) return;
      raced = true;
      const elsewhere = platform.store('proposer');
      await elsewhere.commit({ documents: new Map([['count', 41]]) });
      await elsewhere.close();
    }),
    platform,
  );
  await platform.log.append([recordOf(request('x', 'race'))]);
  const store = platform.store('proposer');
  onTestFinished(() => store.close());
  await vi.waitFor(async () => expect((await store.documents(['count'])).get('count')).toBe(42), 10_000);
});

test('later events of a batch see the documents of earlier ones', async () => {
  const platform = await temporaryPlatform();
  const ids = Array.from({ length: 50 }, (_, i) => `x${i}`);
  await platform.log.ensureTopics([{ name: 'whale.experiments.v1', partitions: 3 }]);
  await platform.log.append(ids.map((id) => recordOf(request(id))));
  await running(echoService(), platform);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(50), 10_000);
  const store = platform.store('proposer');
  onTestFinished(() => store.close());
  expect((await store.documents(['count'])).get('count')).toBe(50);
});

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}
