import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
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
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { startBroker, type Broker } from './index.ts';
import { isRunning } from './processes.ts';
import { administrate, client, firstValue, joinOnce, makeTopic, write } from './support/clients.ts';
import { answers, comesAbout, hanging, type Hanging } from './support/processes.ts';
import { describeKafka, sharedSecuredBroker } from './testing.ts';

const LIMIT_MS = 120_000;

// These are about brokers that are started here.
vi.stubEnv('KAFKA_BROKERS', '');
afterEach(() => void vi.stubEnv('KAFKA_BROKERS', ''));

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
  let broker: Broker;
  /** Another one, of a process that can be killed. */
  let other: Hanging<{ pid: number; url: string }>;

  beforeAll(async () => {
    [broker, other] = await Promise.all([startBroker(), hanging<{ pid: number; url: string }>('./start-and-hang.ts')]);
  }, LIMIT_MS);
  afterAll(async () => {
    other?.process.kill('SIGKILL');
    await broker?.stop();
  }, LIMIT_MS);

  it('has its coordinators ready: the first producer and consumers hear no error', { timeout: LIMIT_MS }, async () => {
    const heard: string[] = [];
    const logCreator = () => (entry: { log: { message: string } }) => void heard.push(entry.log.message);
    const kafka = new Kafka({ brokers: [...broker.brokers], logLevel: logLevel.WARN, logCreator });
    await makeTopic(kafka, 'letters');
    const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.disconnect();
    // Groups of all partitions of the internal topic.
    await Promise.all(['a', 'b', 'c', 'd'].map((group) => joinOnce(kafka, group, 'letters')));
    expect(heard).toEqual([]);
  });

  it('knows nothing of another one, and shares a port with none', async () => {
    expect(broker.url).not.toBe(other.said.url);
    const others = client([other.said.url.replace('kafka://', '')]);
    expect(await administrate(others, (admin) => admin.listTopics())).not.toContain('letters');
    await expect(startBroker({ port: Number(new URL(other.said.url).port) })).rejects.toThrow('nobody listens on');
  });

  it('of KAFKA_BROKERS is used, and left as it is', async () => {
    vi.stubEnv('KAFKA_BROKERS', broker.brokers.join());
    const borrowed = await startBroker();
    expect(borrowed.brokers).toEqual(broker.brokers);
    await expect(borrowed.kill()).rejects.toMatchObject({ code: 'BROKER_NOT_OURS' });
    for (const options of [{ sasl: true }, { tls: true }])
      await expect(startBroker(options)).rejects.toMatchObject({ code: 'BROKER_NOT_OURS' });
    await borrowed.stop();
    expect(await answers(broker.url)).toBe(true);
  });

  it('ends with its parent, also when that is killed', { timeout: LIMIT_MS }, async () => {
    const { pid } = other.said;
    expect(isRunning(pid)).toBe(true);
    const folder = folderOf(pid);
    other.process.kill('SIGKILL');
    expect(await comesAbout(() => !isRunning(pid))).toBe(true);
    expect(await comesAbout(() => !existsSync(folder))).toBe(true);
    expect(await answers(broker.url)).toBe(true);
  });

  it('keeps records over a kill, can be paused, and leaves nothing behind', { timeout: LIMIT_MS }, async () => {
    const pid = broker.pid as number;
    const folder = folderOf(pid);
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
});

describeKafka('a broker that a run shares', () => {
  it('with SASL knows its users, and refuses what no ACL allows', { timeout: LIMIT_MS }, async () => {
    const { brokers, password } = await sharedSecuredBroker();
    const topic = `broker-${randomUUID()}`;
    const admin = client(brokers, { username: 'admin', password: password('admin') });
    const rollout = client(brokers, { username: 'rollout', password: password('rollout') });
    await makeTopic(admin, topic);
    await write(admin, topic, 'a');
    const wrong = client(brokers, { username: 'rollout', password: password('verifier') });
    await expect(write(wrong, topic, 'b')).rejects.toThrow(/authentication failed/i);
    await expect(write(rollout, topic, 'b')).rejects.toThrow(/not authorized/i);
    const acl = {
      resourceType: AclResourceTypes.TOPIC,
      resourceName: topic,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: 'User:rollout',
      host: '*',
      operation: AclOperationTypes.WRITE,
      permissionType: AclPermissionTypes.ALLOW,
    };
    await administrate(admin, (it) => it.createAcls({ acl: [acl] }));
    // It hears of the rule a moment after it is set.
    await vi.waitFor(() => write(rollout, topic, 'b'), 20_000);
  });

  it('is one for its processes, and ends with the run', { timeout: LIMIT_MS }, async () => {
    const run = await hanging<[string, string]>('./share-twice-and-hang.ts');
    onTestFinished(() => void run.process.kill('SIGKILL'));
    const [one, other] = run.said;
    expect(other).toBe(one);
    expect(await answers(one)).toBe(true);
    run.process.kill('SIGKILL');
    expect(await comesAbout(async () => !(await answers(one)))).toBe(true);
    const folder = new RegExp(`^whale-kafka-of-\\d+-${run.process.pid}-open$`);
    expect(await comesAbout(() => !readdirSync(tmpdir()).some((name) => folder.test(name)))).toBe(true);
  });
});
