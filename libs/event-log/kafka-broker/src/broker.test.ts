import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  Partitioners,
  ResourcePatternTypes,
} from 'kafkajs';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { startBroker, type Broker, type BrokerOptions } from './index.ts';
import { isRunning } from './processes.ts';
import { administrate, client, firstValue, makeTopic, write } from './support/clients.ts';
import { answers, comesAbout, hanging } from './support/processes.ts';
import { describeKafka } from './testing.ts';

const LIMIT_MS = 120_000;

// These are about brokers that are started here.
vi.stubEnv('KAFKA_BROKERS', '');
afterEach(() => void vi.stubEnv('KAFKA_BROKERS', ''));

async function started(options: BrokerOptions = {}): Promise<Broker> {
  const broker = await startBroker(options);
  onTestFinished(() => broker.stop());
  return broker;
}

/** The folder of the broker that runs as the process of this id. */
function folderOf(pid: number): string {
  const folders = readdirSync(tmpdir()).map((name) => join(tmpdir(), name));
  const own = folders.find((folder) => {
    const file = join(folder, 'pid');
    return folder.includes('whale-kafka-') && existsSync(file) && Number(readFileSync(file, 'utf8')) === pid;
  });
  if (own === undefined) throw new Error(`no folder of a broker that runs as process ${pid}`);
  return own;
}

/** As `ps` names it, `T` for one that is stopped. */
function stateOf(pid: number): string {
  return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)])
    .toString()
    .slice(0, 1);
}

describeKafka('a broker of its own', () => {
  it('keeps records over a kill, can be paused, and leaves nothing behind', { timeout: LIMIT_MS }, async () => {
    const broker = await started();
    const pid = broker.pid as number;
    const folder = folderOf(pid);
    await makeTopic(client(broker.brokers), 'letters');
    await write(client(broker.brokers), 'letters', 'a'.repeat(2_000_000));

    await broker.pause();
    expect(stateOf(pid)).toBe('T');
    await broker.resume();
    expect(await administrate(client(broker.brokers), (admin) => admin.listTopics())).toContain('letters');

    await broker.kill();
    await broker.kill();
    expect(isRunning(pid)).toBe(false);
    expect(broker.pid).toBeUndefined();
    await broker.restart();
    expect(await firstValue(client(broker.brokers), 'letters')).toHaveLength(2_000_000);

    const last = broker.pid as number;
    expect(folderOf(last)).toBe(folder);
    await broker.stop();
    expect(isRunning(last)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  it('has its coordinators ready: the first producer and consumers hear no error', { timeout: LIMIT_MS }, async () => {
    const { brokers } = await started();
    const heard: string[] = [];
    const logCreator = () => (entry: { log: { message: string } }) => void heard.push(entry.log.message);
    const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.WARN, logCreator });
    await makeTopic(kafka, 'letters');
    const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.disconnect();
    // Groups of all partitions of the internal topic.
    for (const groupId of ['a', 'b', 'c', 'd']) {
      const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
      await consumer.connect();
      await consumer.subscribe({ topic: 'letters' });
      const joined = new Promise((resolve) => consumer.on('consumer.group_join', resolve));
      await consumer.run({ eachMessage: async () => undefined });
      await joined;
      await consumer.disconnect();
    }
    expect(heard).toEqual([]);
  });

  it('ends with its parent, also when that is killed', { timeout: LIMIT_MS }, async () => {
    const parent = await hanging<{ pid: number }>('./start-and-hang.ts');
    const { pid } = parent.said;
    expect(isRunning(pid)).toBe(true);
    const folder = folderOf(pid);
    parent.process.kill('SIGKILL');
    expect(await comesAbout(() => !isRunning(pid))).toBe(true);
    expect(await comesAbout(() => !existsSync(folder))).toBe(true);
  });

  it('two at once know nothing of each other', { timeout: LIMIT_MS }, async () => {
    const [one, other] = await Promise.all([started(), started()]);
    expect(one.url).not.toBe(other.url);
    await makeTopic(client(one.brokers), 'letters');
    expect(await administrate(client(other.brokers), (admin) => admin.listTopics())).not.toContain('letters');
    await one.stop();
    expect(await administrate(client(other.brokers), (admin) => admin.listTopics())).not.toContain('letters');
    await expect(startBroker({ port: Number(new URL(other.url).port) })).rejects.toThrow('nobody listens on');

    // That of KAFKA_BROKERS is used, and left as it is.
    vi.stubEnv('KAFKA_BROKERS', other.brokers.join());
    const borrowed = await startBroker();
    expect(borrowed.brokers).toEqual(other.brokers);
    await expect(borrowed.kill()).rejects.toMatchObject({ code: 'BROKER_NOT_OURS' });
    await expect(startBroker({ sasl: true })).rejects.toMatchObject({ code: 'BROKER_NOT_OURS' });
    await borrowed.stop();
    expect(await answers(other.url)).toBe(true);
  });

  it('with SASL knows its users, and refuses what no ACL allows', { timeout: LIMIT_MS }, async () => {
    const { brokers, password } = await started({ sasl: true });
    const admin = client(brokers, { username: 'admin', password: password('admin') });
    const rollout = client(brokers, { username: 'rollout', password: password('rollout') });
    await makeTopic(admin, 'rollouts');
    await write(admin, 'rollouts', 'a');
    const wrong = client(brokers, { username: 'rollout', password: password('verifier') });
    await expect(write(wrong, 'rollouts', 'b')).rejects.toThrow(/authentication failed/i);
    await expect(write(rollout, 'rollouts', 'b')).rejects.toThrow(/not authorized/i);
    const acl = {
      resourceType: AclResourceTypes.TOPIC,
      resourceName: 'rollouts',
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: 'User:rollout',
      host: '*',
      operation: AclOperationTypes.WRITE,
      permissionType: AclPermissionTypes.ALLOW,
    };
    await administrate(admin, (it) => it.createAcls({ acl: [acl] }));
    await write(rollout, 'rollouts', 'b');
  });

  it('is shared by the processes of a run, and ends with the run', { timeout: LIMIT_MS }, async () => {
    const run = await hanging<[string, string]>('./share-twice-and-hang.ts');
    const [one, other] = run.said;
    expect(other).toBe(one);
    expect(await answers(one)).toBe(true);
    run.process.kill('SIGKILL');
    expect(await comesAbout(async () => !(await answers(one)))).toBe(true);
    const folder = new RegExp(`^whale-kafka-of-\\d+-${run.process.pid}$`);
    expect(await comesAbout(() => !readdirSync(tmpdir()).some((name) => folder.test(name)))).toBe(true);
  });
});
