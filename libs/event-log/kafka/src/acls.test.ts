import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Consumer, readAll, record } from '@whale/event-log-testing';
import type { User } from '@whale/kafka-broker';
import { describeKafka, sharedSecuredBroker, type SecuredBroker } from '@whale/kafka-broker/testing';
import { aclCommands, aclsFor, topicAccess, type Acl, type AclOptions, type TopicAccess } from './acls.ts';
import { applyAcls } from './apply-acls.ts';
import { KafkaEventLog } from './kafka-event-log.ts';
import { kafkaSettings } from './settings.ts';
import { temporaryLog, type Owner } from './support/temporary.ts';
import { applyTopics } from './topic-plan.ts';

const LIMIT_MS = 120_000;
const TOPICS: readonly TopicAccess[] = [
  { topic: 'schedule', writer: 'scheduler', readers: ['rollout'], observers: [], deadLetters: 'schedule.dlq' },
  {
    topic: 'rollouts',
    writer: 'rollout',
    readers: ['scheduler', 'verifier'],
    observers: [],
    deadLetters: 'rollouts.dlq',
  },
];
const OPTIONS: AclOptions = {
  principalOf: (service) => `User:${service}`,
  groupsOf: (service) => [service, `${service}.projections`],
  prefixes: { topicPrefix: 'acl.', groupPrefix: 'acl.' },
};

describe('ACLs as data', () => {
  const rules = aclsFor(TOPICS, OPTIONS);
  const allowed = (operation: string, resource: string, name: string) =>
    rules
      .filter((rule) => rule.resource === resource && rule.name === name)
      .filter(({ operations }) => (operations as readonly string[]).includes(operation))
      .map(({ principal }) => principal)
      .sort();

  it('one topic has one writer, and only those who consume it read it', () => {
    expect(allowed('WRITE', 'topic', 'acl.schedule')).toEqual(['User:scheduler']);
    expect(allowed('WRITE', 'topic', 'acl.rollouts')).toEqual(['User:rollout']);
    expect(allowed('READ', 'topic', 'acl.rollouts')).toEqual(['User:scheduler', 'User:verifier']);
  });

  it('dead letters are written by every reader of their topic', () => {
    expect(allowed('WRITE', 'topic', 'acl.rollouts.dlq')).toEqual(['User:scheduler', 'User:verifier']);
    expect(allowed('READ', 'topic', 'acl.rollouts.dlq')).toEqual([]);
  });

  it('a group belongs to its service, and all see that topics are there', () => {
    expect(allowed('READ', 'group', 'acl.verifier.projections')).toEqual(['User:verifier']);
    expect(allowed('DESCRIBE', 'topic', 'acl.schedule')).toHaveLength(3);
  });

  it('an observer reads all, also dead letters, in no group, and writes nothing', () => {
    const watched = aclsFor(TOPICS, { ...OPTIONS, observers: ['console'] });
    const console = watched.filter(({ principal }) => principal === 'User:console');
    expect(console.map(({ name, operations }) => [name, ...operations])).toEqual([
      ['acl.schedule', 'READ', 'DESCRIBE'],
      ['acl.schedule.dlq', 'READ', 'DESCRIBE'],
      ['acl.rollouts', 'READ', 'DESCRIBE'],
      ['acl.rollouts.dlq', 'READ', 'DESCRIBE'],
    ]);
    expect(watched.filter(({ principal }) => principal !== 'User:console')).toEqual(rules);
  });

  it('A2: who looks a topic up reads it, in no group, and parks nothing of it', () => {
    const looked = TOPICS.map((access) => ({ ...access, observers: access.topic === 'rollouts' ? ['proposer'] : [] }));
    const proposer = aclsFor(looked, OPTIONS).filter(({ principal }) => principal === 'User:proposer');
    expect(proposer.map(({ name, operations }) => [name, ...operations])).toEqual([
      ['acl.schedule', 'DESCRIBE'],
      ['acl.schedule.dlq', 'DESCRIBE'],
      ['acl.rollouts', 'READ', 'DESCRIBE'],
      ['acl.rollouts.dlq', 'DESCRIBE'],
    ]);
  });

  it('A1: an operator writes all, and no service that of another for it', () => {
    const rules = aclsFor(TOPICS, { ...OPTIONS, operators: ['operator'] });
    const operator = rules.filter(({ principal }) => principal === 'User:operator');
    expect(operator.map(({ name }) => name)).toEqual(TOPICS.flatMap((t) => [`acl.${t.topic}`, `acl.${t.deadLetters}`]));
    for (const { operations } of operator) expect(operations).toEqual(['WRITE', 'READ', 'DESCRIBE']);
    expect(rules.filter(({ principal }) => principal !== 'User:operator')).toEqual(aclsFor(TOPICS, OPTIONS));
  });

  it('come from the topics of the platform and what its services consume', () => {
    const access = topicAccess([
      { name: 'verifier', consumes: [{ topic: 'whale.rollouts.v1' }] },
      { name: 'proposer', consumes: [], reads: [{ topic: 'whale.rollouts.v1' }] },
    ]);
    expect(access).toHaveLength(8);
    expect(access.filter(({ readers }) => readers.length > 0)).toEqual([
      {
        topic: 'whale.rollouts.v1',
        writer: 'rollout',
        readers: ['verifier'],
        observers: ['proposer'],
        deadLetters: 'whale.rollouts.v1.dlq',
      },
    ]);
  });

  it('are printed as commands of a shell', () => {
    expect(aclCommands(rules, ['a:1', 'b:2'])).toContain(
      'kafka-acls.sh --bootstrap-server a:1,b:2 --add --allow-principal User:rollout --operation Write --operation Describe --topic acl.rollouts',
    );
    const odd = [{ principal: "User:O'x", resource: 'group', name: 'g', operations: ['READ'] }] as const;
    expect(aclCommands(odd, ['a:1'], '--command-config c')).toEqual([
      "kafka-acls.sh --bootstrap-server a:1 --command-config c --add --allow-principal 'User:O'\\''x' --operation Read --group g",
    ]);
  });
});

describeKafka('a broker with users and an authorizer', () => {
  describe.skipIf(Boolean(process.env['KAFKA_BROKERS']))('of our own', { timeout: LIMIT_MS, concurrent: true }, () => {
    let broker: SecuredBroker;
    const settingsOf = (user: User, password = broker.password(user)) =>
      kafkaSettings(broker.url, {
        WHALE_KAFKA_TOPIC_PREFIX: 'acl.',
        WHALE_KAFKA_SASL_MECHANISM: 'plain',
        WHALE_KAFKA_USERNAME: user,
        WHALE_KAFKA_PASSWORD: password,
      });
    const open = (test: Owner, user: User) => temporaryLog(test, settingsOf(user));
    beforeAll(async () => {
      broker = await sharedSecuredBroker();
      const definitions = TOPICS.flatMap(({ topic, deadLetters }) => [topic, deadLetters]);
      await applyTopics(
        settingsOf('admin'),
        definitions.map((name) => ({ name, partitions: 2 })),
      );
      // Brokers hear of rules a moment after they are set.
      const added = () => applyAcls(settingsOf('admin'), aclsFor(TOPICS, OPTIONS));
      await vi.waitFor(async () => expect(await added()).toEqual([]), 30_000);
    }, LIMIT_MS);

    const refused = { name: 'LogError', code: 'LOG_UNAUTHORIZED', retryable: false };

    it('only what is missing is added', async () => {
      const rules = aclsFor(TOPICS, OPTIONS);
      expect(await applyAcls(settingsOf('admin'), rules)).toEqual([]);
      const [first, ...others] = rules as [Acl, ...Acl[]];
      const more = { ...first, operations: ['WRITE', ...first.operations] } as const;
      const principal = 'User:nobody';
      const added = await applyAcls(settingsOf('admin'), [...others, { ...more, principal }, ...rules]);
      expect(added).toEqual([{ ...more, principal }]);
    });

    it('a service writes its own topic, parks in that of what it reads, and reads what it consumes', async (test) => {
      const scheduler = await open(test, 'scheduler');
      const rollout = await open(test, 'rollout');
      await scheduler.ensureTopics(TOPICS.map(({ topic }) => ({ name: topic, partitions: 2 })));
      await scheduler.append([record('schedule', 'k', 'go')]);
      const consumer = await new Consumer().start(rollout, 'rollout', 'schedule');
      test.onTestFinished(() => consumer.stop());
      await vi.waitFor(() => expect(consumer.values).toContain('go'), 30_000);
      await rollout.append([record('schedule.dlq', 'k', 'parked'), record('rollouts', 'k', 'done')]);
      expect((await readAll(scheduler, 'rollouts')).map(({ value }) => value)).toEqual(['done']);
    });

    it('a service is refused on a topic that is not its own', async (test) => {
      const admin = await open(test, 'admin');
      // Where nothing lies nothing is read, so nothing is refused.
      await admin.append([record('schedule', 'k', 'true')]);
      const verifier = await open(test, 'verifier');
      await expect(verifier.append([record('schedule', 'k', 'forged')])).rejects.toMatchObject(refused);
      await expect(readAll(verifier, 'schedule')).rejects.toMatchObject(refused);
      await expect(verifier.append([record('schedule.dlq', 'k', 'x')])).rejects.toMatchObject(refused);
      await expect(verifier.ensureTopics([{ name: 'mine', partitions: 1 }])).rejects.toMatchObject(refused);
      expect((await readAll(admin, 'schedule')).map(({ value }) => value)).not.toContain('forged');
    });

    it('a refused call does not fail those that share its request', async (test) => {
      const scheduler = await open(test, 'scheduler');
      const results = await Promise.allSettled([
        scheduler.append([record('schedule', 'k', 'a')]),
        scheduler.append([record('rollouts', 'k', 'forged')]),
        scheduler.append([record('schedule', 'k', 'b')]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });

    it("a member of another service's group is refused, and told so once", async (test) => {
      const verifier = await open(test, 'verifier');
      const consumer = await new Consumer().start(verifier, 'rollout', 'rollouts');
      test.onTestFinished(() => consumer.stop());
      await vi.waitFor(() => expect(consumer.errors).toHaveLength(1), 30_000);
      expect(consumer.errors[0]).toMatchObject({ error: refused, partition: -1 });
      const tries = new Set<number>();
      await vi.waitFor(() => expect(tries.add(consumer.status.aliveAt).size).toBeGreaterThan(3), 30_000);
      expect(consumer.errors).toHaveLength(1);
    });

    it('a wrong password is refused at once, and shown nowhere', async () => {
      const opening = KafkaEventLog.open(settingsOf('rollout', 'not-the-password'));
      const error = await opening.catch((failure: unknown) => failure);
      expect(error).toMatchObject(refused);
      expect(String((error as Error).message)).not.toContain('not-the-password');
    });
  });
});
