import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { SERVICES, TOPIC_NAMES, TOPICS } from '@whale/contracts';
import { LogError, type EventLog, type Position } from '@whale/event-log';
import { startBroker, type Broker, type User } from '@whale/kafka-broker';
import { describeKafka } from '@whale/kafka-broker/testing';
import { openLog } from '@whale/service-host';
import { Fleet } from '../support/fleet.ts';
import { Place } from '../support/place.ts';
import { quietRun, TINY } from '../support/quiet-run.ts';
import { scratchFolder } from '../support/whale-process.ts';

const LIMIT_MS = 240_000;
const PREFIX = 'team.';

describeKafka('a broker that refuses what no rule allows', () => {
  // Brokers of somebody else have other users.
  if (process.env['KAFKA_BROKERS']) return it.skip('needs a broker of our own: KAFKA_BROKERS names another');
  const folder = scratchFolder('acls');
  let broker: Broker;

  const userOf = (user: User) => ({
    WHALE_KAFKA_TOPIC_PREFIX: PREFIX,
    WHALE_KAFKA_SASL_MECHANISM: 'plain',
    WHALE_KAFKA_USERNAME: user,
    WHALE_KAFKA_PASSWORD: broker.password(user),
  });
  const placeOf = (user: User) => new Place({ data: folder.path, log: broker.url }, userOf(user));
  const topics = async (user: User, ...args: string[]) => {
    const { code, stdout, stderr } = await placeOf(user).whale('topics', ...args);
    return { code, stdout, stderr };
  };
  const opened = async (user: User): Promise<EventLog> => {
    const log = await openLog(placeOf(user).location, userOf(user));
    onTestFinished(() => log.close());
    return log;
  };
  const noted = (topic: string) => ({ topic, key: 'k', headers: {}, value: '{}' });

  beforeAll(async () => {
    broker = await startBroker({ sasl: true });
  }, LIMIT_MS);
  afterAll(async () => {
    await broker?.stop();
    folder.remove();
  });

  it('topics --apply creates the topics once, and doctor tells them missing and there', async () => {
    const before = await placeOf('admin').whale('doctor');
    expect(before.stdout).toContain('not there yet: whale.experiments.v1, whale.experiments.v1.dlq,');
    expect(before.stdout).toContain('whale topics --apply');
    expect(await topics('admin', '--apply')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('16 topics created.') as string,
      stderr: '',
    });
    const again = await topics('admin', '--apply');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') as string });
    expect(again.stdout).toMatch(/^team\.whale\.rollouts\.v1 +as defined +12 +for ever +1$/m);
    expect(again.stdout).toMatch(/^team\.whale\.rollouts\.v1\.dlq +as defined +1 +30 days +1$/m);
    expect((await placeOf('admin').whale('doctor')).stdout).toMatch(/topics +all 16 are there/);
  });

  it('before the rules a service is told that the topics are not for it, and who helps', async () => {
    const { code, stdout } = await placeOf('rollout').whale('doctor');
    expect(code).toBe(3);
    expect(stdout).toContain('not for this user: whale.experiments.v1, whale.experiments.v1.dlq,');
    expect(stdout).toContain('whale topics --apply-acls');
  });

  it('topics --apply-acls sets the rules once; only an administrator may', async () => {
    const refused = await topics('rollout', '--apply-acls');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/^error: setting the ACLs: /);
    const first = await topics('admin', '--apply-acls');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('User:rollout may write, describe topic team.whale.rollouts.v1\n');
    expect(await topics('admin', '--apply-acls')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing to do: all \d+ rules are set\.\n$/) as string,
    });
  });

  it('an experiment runs to the same end, each service as a user of its own', { timeout: LIMIT_MS }, async () => {
    const place = placeOf('console');
    const fleet = new Fleet(place, ([service]) => userOf(service as User));
    onTestFinished(() => fleet.killAll());
    const submitted = await place.whale('run', TINY, '--detach');
    expect(submitted.code, submitted.stderr).toBe(0);
    for (const name of SERVICES) fleet.start(name);
    const probe = place.probe();
    onTestFinished(() => probe.close());
    await place.ended(probe, LIMIT_MS);
    await fleet.stop();
    // As in one process on the embedded log.
    const { stateHash } = (await quietRun()).shown;
    expect(await place.show()).toMatchObject({ status: 'completed', stateHash });
    expect((await place.whale('dlq', 'ls')).stdout).toContain('Nothing is parked');
    const rebuilt = await place.whale('rebuild');
    expect(rebuilt.code, rebuilt.stdout + rebuilt.stderr).toBe(0);
  });

  it('a service is refused on each topic that it does not own', async () => {
    for (const user of [...SERVICES, 'console'] as const) {
      const log = await opened(user);
      const foreign = TOPIC_NAMES.filter((topic) => TOPICS[topic].writer !== user);
      expect(foreign.length).toBeLessThan(TOPIC_NAMES.length);
      for (const topic of foreign) {
        const failure: unknown = await log.append([noted(topic)]).catch((error: unknown) => error);
        expect(failure, `${user} on ${topic}`).toBeInstanceOf(LogError);
        expect(failure, `${user} on ${topic}`).toMatchObject({ code: 'LOG_UNAUTHORIZED', retryable: false });
      }
    }
  });

  it('a service reads no topic that it does not consume', async () => {
    const verifier = await opened('verifier');
    const read = async (topic: string) => {
      // Of a partition that holds nothing nothing is fetched, so nothing is refused.
      const full = (await verifier.heads([topic])).find(({ offset }) => offset > 0) as Position;
      for await (const record of verifier.read({ ...full, from: 0 })) return record.topic;
      return undefined;
    };
    await expect(read('whale.harnesses.v1')).rejects.toMatchObject({ code: 'LOG_UNAUTHORIZED' });
    await expect(read('whale.rollouts.v1')).resolves.toBe('whale.rollouts.v1');
  });

  it('only the operator puts records on the topics of services, and notes on their dead letters', async () => {
    const operator = await opened('operator');
    const admin = await opened('admin');
    for (const topic of TOPIC_NAMES) {
      const written = async () => (await admin.heads([topic, `${topic}.dlq`])).reduce((sum, at) => sum + at.offset, 0);
      const before = await written();
      await operator.append([noted(topic), noted(`${topic}.dlq`)]);
      expect(await written()).toBe(before + 2);
    }
  });
});
