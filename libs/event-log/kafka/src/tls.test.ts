import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Consumer, readAll, record } from '@whale/event-log-testing';
import {
  Certificates,
  describeKafka,
  opensslIsHere,
  sharedSecuredBroker,
  type SecuredBroker,
} from '@whale/kafka-broker/testing';
import type { TlsAccess, User } from '@whale/kafka-broker';
import type { Acl } from './acls.ts';
import { applyAcls } from './apply-acls.ts';
import { KafkaEventLog } from './kafka-event-log.ts';
import { kafkaSettings } from './settings.ts';
import { temporaryLog } from './support/temporary.ts';

const LIMIT_MS = 60_000;
const PATIENCE = { timeout: 30_000 };
const missing = process.env['KAFKA_BROKERS']
  ? 'a broker of our own: KAFKA_BROKERS names another'
  : opensslIsHere()
    ? null
    : 'openssl';
if (missing !== null) console.log(`skipped: the log on Kafka by TLS (needs ${missing})`);

type Environment = Record<string, string>;

describeKafka('the log on Kafka by TLS', () => {
  describe.skipIf(missing !== null)('of our own', { timeout: LIMIT_MS, concurrent: true }, () => {
    let broker: SecuredBroker;
    let tls: TlsAccess;
    let foreign: Certificates;
    const prefix = { WHALE_KAFKA_TOPIC_PREFIX: `tls-${randomUUID()}.` };

    beforeAll(async () => {
      [broker, foreign] = await Promise.all([sharedSecuredBroker(), Certificates.make()]);
      tls = broker.tls as TlsAccess;
    }, LIMIT_MS);
    afterAll(() => foreign?.remove());

    const authority = (): Environment => ({ ...prefix, WHALE_KAFKA_TLS_CA: tls.ca });
    const by = (mechanism: string, password: string, user: User = 'admin'): Environment => ({
      WHALE_KAFKA_SASL_MECHANISM: mechanism,
      WHALE_KAFKA_USERNAME: user,
      WHALE_KAFKA_PASSWORD: password,
    });
    const admin = (): Environment => by('scram-sha-512', broker.password('admin'));
    const certificate = ({ cert, key }: Pick<TlsAccess['client'], 'cert' | 'key'> = tls.client): Environment => ({
      WHALE_KAFKA_TLS_CERT: cert,
      WHALE_KAFKA_TLS_KEY: key,
    });
    const inTheClear = (url: string) => url.replace('kafkas://', 'kafka://');

    it.for(['scram-sha-256', 'scram-sha-512'])(
      'appends, reads and consumes as a user known by %s',
      async (mechanism, test) => {
        const settings = kafkaSettings(tls.scramUrl, { ...authority(), ...by(mechanism, broker.password('admin')) });
        const log = await temporaryLog(test, settings);
        await log.ensureTopics([{ name: mechanism, partitions: 2 }]);
        await log.append([record(mechanism, 'k', 'a'), record(mechanism, 'k', 'b')]);
        expect((await readAll(log, mechanism)).map(({ value }) => value)).toEqual(['a', 'b']);
        const consumer = await new Consumer().start(log, mechanism, mechanism);
        await vi.waitFor(() => expect(consumer.values).toEqual(['a', 'b']), PATIENCE);
        await consumer.stop();
      },
    );

    it('a certificate is the user that its name says, with the rights of that user', async (test) => {
      const access = kafkaSettings(tls.scramUrl, { ...authority(), ...admin() });
      const administration = await temporaryLog(test, access);
      await administration.ensureTopics(['own', 'other'].map((name) => ({ name, partitions: 1 })));
      const principal = `User:${tls.client.user}`;
      const name = `${prefix.WHALE_KAFKA_TOPIC_PREFIX}own`;
      const rule: Acl = { principal, resource: 'topic', name, operations: ['WRITE', 'READ', 'DESCRIBE'] };
      // The broker hears of it a moment after it is set.
      await vi.waitFor(async () => expect(await applyAcls(access, [rule])).toEqual([]), PATIENCE);
      const log = await temporaryLog(test, kafkaSettings(tls.mutualUrl, { ...authority(), ...certificate() }));
      await log.append([record('own', 'k', 'mine')]);
      expect((await readAll(log, 'own')).map(({ value }) => value)).toEqual(['mine']);
      await expect(log.append([record('other', 'k', 'forged')])).rejects.toMatchObject({ code: 'LOG_UNAUTHORIZED' });
    });

    it.each<[string, () => [string, Environment], RegExp]>([
      [
        'brokers of an authority that is not known',
        () => [tls.scramUrl, admin()],
        /signed by an authority that is not known here: name its PEM file in WHALE_KAFKA_TLS_CA$/,
      ],
      [
        'brokers of another authority',
        () => [tls.scramUrl, { ...admin(), WHALE_KAFKA_TLS_CA: foreign.ca }],
        /signed by an authority that is not known here: name its PEM file in WHALE_KAFKA_TLS_CA$/,
      ],
      [
        'a wrong password',
        () => [tls.scramUrl, { ...authority(), ...by('scram-sha-512', 'not-the-password') }],
        /^(?!.*not-the-password).*invalid credentials.*check WHALE_KAFKA_…/,
      ],
      [
        'a mechanism that the listener does not have',
        () => [tls.scramUrl, { ...authority(), ...by('plain', broker.password('admin')) }],
        /does not support the requested SASL mechanism/,
      ],
      [
        'no user where there must be one',
        () => [tls.scramUrl, authority()],
        /lets in known users only: set WHALE_KAFKA_SASL_MECHANISM \(there: scram-sha-256, scram-sha-512\)/,
      ],
      [
        'no user in the clear',
        () => [broker.url, {}],
        /lets in known users only: set WHALE_KAFKA_SASL_MECHANISM \(there: plain\)/,
      ],
      [
        'TLS with a port in the clear',
        () => [broker.url.replace('kafka://', 'kafkas://'), { ...authority(), ...admin() }],
        /:\d+ does not speak TLS: expected kafka:\/\/ in place of kafkas:\/\//,
      ],
      [
        'the clear with a port of TLS',
        () => [inTheClear(tls.scramUrl), admin()],
        /:\d+ speaks TLS: expected kafkas:\/\/ in place of kafka:\/\//,
      ],
      [
        'no certificate where there must be one',
        () => [tls.mutualUrl, authority()],
        /want a client's certificate.*: set WHALE_KAFKA_TLS_CERT and WHALE_KAFKA_TLS_KEY$/,
      ],
    ])('%s: refused at once, and told what to set', async (_, given, message) => {
      const [url, environment] = given();
      // Far more patience than the test has: what waits for a cure of this waits in vain.
      const opening = KafkaEventLog.open(kafkaSettings(url, environment), { patienceMs: 10 * LIMIT_MS });
      const refused = { name: 'LogError', code: 'LOG_UNAUTHORIZED', retryable: false };
      await expect(opening).rejects.toMatchObject({ ...refused, message: expect.stringMatching(message) as string });
    });

    it('a certificate of an authority that the brokers do not know is refused', async () => {
      const settings = kafkaSettings(tls.mutualUrl, { ...authority(), ...certificate(await foreign.sign('rollout')) });
      await expect(KafkaEventLog.open(settings)).rejects.toMatchObject({
        code: 'LOG_UNAUTHORIZED',
        message: expect.stringContaining('that they know the authority of') as string,
      });
    });
  });
});
