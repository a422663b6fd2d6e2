import { ProposalFailed, type DomainEvent } from '@whale/contracts';
import { WhaleError } from '@whale/kernel';
import { onTestFinished, expect, test, vi } from 'vitest';
import { StoreError } from '../store/errors.ts';
import type { ServiceStore } from '../store/service-store.ts';
import { ECHO_TOPIC, echo } from '../support/echo-service.ts';
import { recordsOn, telemetryFor, temporaryPlatform, type TemporaryPlatform } from '../support/temporary-platform.ts';
import { Emitter } from '../transport/emitter.ts';
import { OutboxRelay } from '../transport/relay.ts';
import type { WorkProgress } from './progress.ts';
import { WorkRunner, type WorkHandler, type WorkResult } from './work-runner.ts';

const TOPICS = [{ name: ECHO_TOPIC, partitions: 1 }];
type Run = (name: string, signal: AbortSignal, progress: WorkProgress) => Promise<WorkResult>;

const done = (name: string): WorkResult => ({ events: [echo(name, 'done')] });

interface SetUp extends TemporaryPlatform {
  serviceStore: ServiceStore;
  runner: WorkRunner;
  add(...names: string[]): Promise<void>;
  published(): Promise<string[]>;
}

async function setUp(run: Run, options: { concurrency?: number; leaseMilliseconds?: number } = {}): Promise<SetUp> {
  const platform = await temporaryPlatform();
  await platform.log.ensureTopics(TOPICS);
  const store = platform.store('proposer');
  const onTrouble = (message: string) => platform.onTrouble('proposer', message);
  const emitter = new Emitter({ service: 'proposer', emits: [ProposalFailed], ...platform });
  const relay = new OutboxRelay(store, platform.log, platform.clock, onTrouble);
  const handler: WorkHandler = {
    kind: 'echo',
    concurrency: options.concurrency ?? 4,
    run: (payload, ...rest) => run((payload as { name: string }).name, ...rest),
    failed: (payload, error): DomainEvent[] => [echo((payload as { name: string }).name, `${error.code}`)],
  };
  const { leaseMilliseconds } = options;
  const runner = new WorkRunner({
    ...platform,
    store,
    emitter,
    relay,
    handlers: [handler],
    telemetry: telemetryFor('proposer'),
    onTrouble,
    ...(leaseMilliseconds === undefined ? {} : { leaseMilliseconds }),
  });
  onTestFinished(async () => {
    await runner.stop();
    await relay.stop();
    await store.close();
  });
  return {
    ...platform,
    serviceStore: store,
    runner,
    add: (...names) =>
      store.commit({ work: names.map((name) => ({ id: `${name}/echo`, kind: 'echo', payload: { name } })) }),
    published: async () => (await recordsOn(platform.log, ECHO_TOPIC)).map((record) => saying(record.value)),
  };
}

function saying(value: string): string {
  const data = JSON.parse(value) as { experimentId: string; error: { message: string } };
  return `${data.experimentId}: ${data.error.message}`;
}

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

test('W1: at most `concurrency` items run at once, and all of them in the end', async () => {
  let running = 0;
  let most = 0;
  const { runner, add, published } = await setUp(
    async (name) => {
      most = Math.max(most, ++running);
      // They end one by one, so that there is room for one while the others still run.
      await new Promise((resolve) => setTimeout(resolve, 5 + 10 * (name.length + (Number(name.at(-1)) % 3))));
      running--;
      return done(name);
    },
    { concurrency: 3 },
  );
  await add(...Array.from({ length: 20 }, (_, i) => `item-${i}`));
  runner.start();
  await eventually(async () => expect(await published()).toHaveLength(20));
  expect(most).toBe(3);
});

test('W1: two runners of one store share the items, each item runs once', async () => {
  const ran: string[] = [];
  const run: Run = async (name) => {
    ran.push(name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return done(name);
  };
  const one = await setUp(run, { concurrency: 2 });
  const store = one.store('proposer');
  const relay = new OutboxRelay(store, one.log, one.clock, () => undefined);
  const two = new WorkRunner({
    ...one,
    store,
    relay,
    emitter: new Emitter({ service: 'proposer', emits: [ProposalFailed], ...one }),
    handlers: [
      {
        kind: 'echo',
        concurrency: 2,
        run: (payload, ...rest) => run((payload as { name: string }).name, ...rest),
        failed: () => [],
      },
    ],
    telemetry: telemetryFor('proposer'),
    onTrouble: () => undefined,
  });
  onTestFinished(async () => {
    await two.stop();
    await relay.stop();
    await store.close();
  });
  const names = Array.from({ length: 30 }, (_, i) => `item-${i}`);
  await one.add(...names);
  one.runner.start();
  two.start();
  // Not counted on the log: two relays of one store may publish a record twice, under the same event id.
  await eventually(async () => expect(await store.workPending()).toBe(0));
  expect(ran.sort()).toEqual(names.sort());
});

test('W2: an item whose events could not be committed runs again when its lease ends, in the same process', async () => {
  let attempts = 0;
  const { runner, add, published, serviceStore, troubles } = await setUp(
    async (name) => {
      attempts++;
      return done(name);
    },
    { leaseMilliseconds: 300 },
  );
  const commit = serviceStore.commit.bind(serviceStore);
  let refuse = true;
  serviceStore.commit = async (unit) => {
    if (unit.finished?.length && refuse) {
      refuse = false;
      throw new Error('the disk is gone for a moment');
    }
    return commit(unit);
  };
  await add('x');
  runner.start();
  await eventually(async () => expect(await published()).toEqual(['x: done']));
  expect(attempts).toBe(2);
  expect(troubles).toEqual([expect.stringContaining('the disk is gone for a moment')]);
});

test('W3: a retryable failure is told, waits and is tried again', async () => {
  let attempts = 0;
  const { runner, add, published, troubles } = await setUp(async (name) => {
    if (++attempts < 3) throw new WhaleError('BUSY', 'later', { retryable: true });
    return done(name);
  });
  await add('x');
  runner.start();
  await eventually(async () => expect(await published()).toEqual(['x: done']));
  expect(attempts).toBe(3);
  const told = (attempt: number) => expect.stringContaining(`is tried again (${attempt} of 4): BUSY: later`) as string;
  expect(troubles).toEqual([told(1), told(2)]);
});

test('W3: the last failure becomes an event', async () => {
  let attempts = 0;
  const { runner, add, published, troubles } = await setUp(async () => {
    attempts++;
    throw new WhaleError('BUSY', 'never', { retryable: true });
  });
  await add('x');
  runner.start();
  await eventually(async () => expect(await published()).toEqual(['x: BUSY']));
  expect(attempts).toBe(4);
  expect(troubles).toHaveLength(4);
  expect(troubles.at(-1)).toContain(' failed: BUSY: never');
});

test.each<[string, Run, string]>([
  ['that cannot be mended', () => Promise.reject(new WhaleError('BROKEN', 'for good')), 'BROKEN'],
  ['that is a bug', () => Promise.reject(new TypeError('oops')), 'UNEXPECTED'],
  [
    'of an event that does not fit its schema',
    async (name) => ({ events: [{ ...echo(name, ''), data: { experimentId: name } }] }),
    'EVENT_SCHEMA',
  ],
])('W3: a failure %s becomes an event at once', async (_, run, code) => {
  let attempts = 0;
  const { runner, add, published } = await setUp((...asked) => {
    attempts++;
    return run(...asked);
  });
  await add('x');
  runner.start();
  await eventually(async () => expect(await published()).toEqual([`x: ${code}`]));
  expect(attempts).toBe(1);
});

const step = (name: string, n: number) => ({
  events: [echo(name, `step ${n}`)],
  documents: new Map([[`${name}/step`, n]]),
});

test('W4: what is committed on the way is published before the item ends, and is there for the next attempt', async () => {
  const { runner, add, published, serviceStore } = await setUp(async (name, _, progress) => {
    const before = (await serviceStore.documents([`${name}/step`])).get(`${name}/step`) as number | undefined;
    const n = (before ?? 0) + 1;
    await progress.commit(step(name, n));
    await eventually(async () => expect(await published()).toHaveLength(n));
    if (n < 3) throw new WhaleError('KILLED', 'between two commits', { retryable: true });
    return { ...done(name), documents: new Map([[`${name}/step`, null]]) };
  });
  await add('x');
  runner.start();
  await eventually(async () => {
    expect(await published()).toEqual(['x: step 1', 'x: step 2', 'x: step 3', 'x: done']);
    expect(await serviceStore.workPending()).toBe(0);
  });
  expect((await serviceStore.documents(['x/step'])).size).toBe(0);
});

test('W4: who has lost the lease commits nothing on the way', async () => {
  let refused: unknown;
  const { runner, add, published, serviceStore } = await setUp(
    async (name, _, progress) => {
      await serviceStore.claimWork({
        ...{ owner: 'another/1/x', kinds: ['echo'], limit: 1 },
        ...{ now: Date.now() + 60_000, leaseUntil: Date.now() + 3_600_000 },
      });
      await progress.commit(step(name, 1)).catch((error: unknown) => (refused = error));
      return done(name);
    },
    { leaseMilliseconds: 30_000 },
  );
  await add('x');
  runner.start();
  await eventually(async () => expect(refused).toMatchObject({ code: 'STORE_STALE_CONSUMER' }));
  await runner.stop();
  expect(await published()).toEqual([]);
  expect((await serviceStore.documents(['x/step'])).size).toBe(0);
  expect(await serviceStore.workPending()).toBe(1);
});

test('W4: of a commit with an event that does not fit its schema nothing is there', async () => {
  const { runner, add, published, serviceStore } = await setUp(async (name, _, progress) => {
    const bad = { ...echo(name, ''), data: { experimentId: name } } as unknown as DomainEvent;
    await expect(progress.commit({ ...step(name, 1), events: [echo(name, 'good'), bad] })).rejects.toMatchObject({
      code: 'EVENT_SCHEMA',
    });
    return done(name);
  });
  await add('x');
  runner.start();
  await eventually(async () => expect(await published()).toEqual(['x: done']));
  expect((await serviceStore.documents(['x/step'])).size).toBe(0);
});

test('an attempt is told when it is the last', async () => {
  const told: boolean[] = [];
  const { runner, add, published } = await setUp(async (_, __, { isLastAttempt }) => {
    told.push(isLastAttempt);
    throw new WhaleError('BUSY', 'never', { retryable: true });
  });
  await add('x');
  runner.start();
  await eventually(async () => expect(await published()).toEqual(['x: BUSY']));
  expect(told).toEqual([false, false, false, true]);
});

test('work that is put off comes again, more often than it might fail', async () => {
  let looks = 0;
  const { runner, add, published } = await setUp(async (name) => (++looks < 8 ? { deferMilliseconds: 1 } : done(name)));
  await add('x');
  runner.start();
  await eventually(async () => expect(await published()).toEqual(['x: done']));
  expect(looks).toBe(8);
});

test('a stop aborts what runs and gives it back', async () => {
  const aborted: string[] = [];
  const { runner, add, published, serviceStore, troubles } = await setUp(
    (name, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(name);
          reject(new Error('aborted'));
        });
      }),
  );
  await add('x');
  runner.start();
  await new Promise((resolve) => setTimeout(resolve, 200));
  await runner.stop();
  expect(aborted).toEqual(['x']);
  expect(await published()).toEqual([]);
  expect(troubles).toEqual([]);
  const now = Date.now();
  expect(
    await serviceStore.claimWork({ owner: 'another', kinds: ['echo'], limit: 1, now, leaseUntil: now + 1 }),
  ).toHaveLength(1);
});

test('W3: a failure of the store is no failure of the work, however often', async () => {
  let away = 6;
  const { runner, add, published, troubles, serviceStore } = await setUp(async (name) => {
    if (away-- > 0) throw new StoreError('STORE_IO', 'unheard of');
    return done(name);
  });
  const commit = serviceStore.commit.bind(serviceStore);
  // The pause is not waited for.
  serviceStore.commit = (unit) =>
    commit({ ...unit, ...(unit.deferred && { deferred: unit.deferred.map((one) => ({ ...one, notBefore: 0 })) }) });
  await add('one');
  runner.start();
  await eventually(async () => expect(await published()).toEqual(['one: done']));
  expect(troubles).toEqual([]);
});

test('a store that fails is asked for work less and less often, and that is told once', async () => {
  const { runner, add, published, troubles, serviceStore } = await setUp(async (name) => done(name));
  const claim = serviceStore.claimWork.bind(serviceStore);
  let asked = 0;
  let away = true;
  serviceStore.claimWork = async (one) => {
    asked++;
    if (away) throw new StoreError('STORE_IO', 'not now');
    return claim(one);
  };
  runner.start();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(asked).toBeLessThan(6);
  expect(asked).toBeGreaterThan(2);
  expect(troubles).toEqual(['proposer: taking work: not now; trying again']);
  away = false;
  await add('one');
  await eventually(async () => expect(await published()).toEqual(['one: done']));
});
