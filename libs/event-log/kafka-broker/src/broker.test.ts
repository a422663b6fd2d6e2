import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type SASLOptions } from 'kafkajs';
import { expect, it, onTestFinished } from 'vitest';
import { brokerAvailability, startBroker, type Broker, type BrokerOptions } from './index.ts';
import { describeKafka } from './testing.ts';

const own = brokerAvailability();
const isOurs = own.available && own.how === 'java';

async function started(options: BrokerOptions = {}): Promise<Broker> {
  const broker = await startBroker(options);
  onTestFinished(() => broker.stop());
  return broker;
}

function client({ brokers }: Pick<Broker, 'brokers'>, sasl?: SASLOptions): Kafka {
  const login = sasl ? { sasl } : {};
  return new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING, retry: { retries: 2 }, ...login });
}

async function make(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
}

async function write(kafka: Kafka, topic: string, value: string): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value }] }).finally(() => producer.disconnect());
}

async function firstValue(kafka: Kafka, topic: string): Promise<string | undefined> {
  const consumer = kafka.consumer({ groupId: `read-${Math.random()}`, sessionTimeout: 6_000 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const value = await new Promise<string | undefined>((resolve) => {
    void consumer.run({ eachMessage: async ({ message }) => resolve(message.value?.toString()) });
  });
  await consumer.disconnect();
  return value;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 100 && isAlive(pid); i++) await sleep(100);
  return !isAlive(pid);
}

describeKafka('a broker of its own', { timeout: 300_000 }, () => {
  it.runIf(isOurs)('takes and gives records, keeps them over a kill, and leaves nothing behind', async () => {
    const broker = await startBroker();
    const pid = broker.pid as number;
    try {
      await make(client(broker), 'letters');
      await write(client(broker), 'letters', 'a');
      expect(await firstValue(client(broker), 'letters')).toBe('a');
      await broker.kill();
      expect(isAlive(pid)).toBe(false);
      await broker.restart();
      expect(broker.pid).not.toBe(pid);
      expect(await firstValue(client(broker), 'letters')).toBe('a');
    } finally {
      const last = broker.pid as number;
      await broker.stop();
      expect(isAlive(last)).toBe(false);
    }
  });

  it.runIf(isOurs)('ends with its parent even when that is killed', async () => {
    const script =
      `import { startBroker } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};` +
      'const { pid } = await startBroker(); console.log(pid); setInterval(() => {}, 1000);';
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text: Buffer) => resolve(+text)));
    expect(isAlive(pid)).toBe(true);
    const folder = await folderOf(pid);
    parent.kill('SIGKILL');
    expect(await gone(pid)).toBe(true);
    for (let i = 0; i < 50 && existsSync(folder); i++) await sleep(100);
    expect(existsSync(folder)).toBe(false);
  });

  it.runIf(isOurs)('with SASL knows its users and refuses what no ACL allows', async () => {
    const broker = await started({ sasl: true });
    const as = (username: string, password: string) => client(broker, { mechanism: 'plain', username, password });
    await make(as('admin', broker.password('admin')), 'guarded');
    await write(as('admin', broker.password('admin')), 'guarded', 'a');
    await expect(write(as('admin', 'wrong'), 'guarded', 'b')).rejects.toThrow(/authentication/iu);
    await expect(write(as('rollout', broker.password('rollout')), 'guarded', 'b')).rejects.toThrow(/authori/iu);
  });
});

it('says how a broker can be had', () => {
  expect(brokerAvailability({ KAFKA_BROKERS: 'somewhere:9092' })).toEqual({ available: true, how: 'KAFKA_BROKERS' });
});

async function folderOf(pid: number): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  return (command.find((part) => part.endsWith('server.properties')) as string).replace('/server.properties', '');
}
