import { readFile, writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Certificates, opensslIsHere } from '@whale/kafka-broker/testing';
import { InputError } from '@whale/kernel';
import { kafkaSettings } from './settings.ts';

/** Of a test, which takes them away again. */
async function certificates(): Promise<Certificates> {
  const made = await Certificates.make();
  onTestFinished(() => made.remove());
  return made;
}

describe('kafkaSettings', () => {
  it('has defaults for everything but the brokers', () => {
    expect(kafkaSettings('kafka://a:9092,b.example:9093,127.0.0.1:9094', {})).toEqual({
      brokers: ['a:9092', 'b.example:9093', '127.0.0.1:9094'],
      tls: null,
      sasl: null,
      clientId: 'whale',
      topicPrefix: '',
      groupPrefix: '',
      replicationFactor: -1,
      compression: 'gzip',
      sessionTimeoutMs: 10_000,
    });
  });

  it('takes all from the environment; the group prefix is the topic prefix unless it has one of its own', () => {
    const env = {
      WHALE_KAFKA_CLIENT_ID: 'me',
      WHALE_KAFKA_TOPIC_PREFIX: 'team.',
      WHALE_KAFKA_REPLICATION: '3',
      WHALE_KAFKA_COMPRESSION: 'none',
      WHALE_KAFKA_SESSION_TIMEOUT_MS: '30000',
      WHALE_KAFKA_SASL_MECHANISM: '',
    };
    const expected = { clientId: 'me', topicPrefix: 'team.', replicationFactor: 3, compression: 'none', sasl: null };
    expect(kafkaSettings('kafka://a:1', env)).toMatchObject({ ...expected, groupPrefix: 'team.' });
    expect(kafkaSettings('kafka://a:1', { ...env, WHALE_KAFKA_GROUP_PREFIX: 'g-' }).groupPrefix).toBe('g-');
  });

  it('shows no password, however it is printed', () => {
    const { sasl } = kafkaSettings('kafka://a:1', {
      WHALE_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      WHALE_KAFKA_USERNAME: 'me',
      WHALE_KAFKA_PASSWORD: 'hidden-password',
    });
    expect(sasl?.password.reveal()).toBe('hidden-password');
    expect(JSON.stringify(sasl) + inspect(sasl, { depth: 9 })).not.toContain('hidden');
  });

  it.skipIf(!opensslIsHere())('shows no key, however it is printed', async () => {
    const { cert, key } = await (await certificates()).sign('me');
    const { tls } = kafkaSettings('kafkas://a:1', { WHALE_KAFKA_TLS_CERT: cert, WHALE_KAFKA_TLS_KEY: key });
    const text = await readFile(key, 'utf8');
    expect(tls?.key?.reveal()).toBe(text);
    const shown = JSON.stringify(tls) + inspect(tls, { depth: 9 });
    for (const line of text.split('\n').filter((each) => each.length > 20 && !each.startsWith('--')))
      expect(shown).not.toContain(line);
  });

  it.skipIf(!opensslIsHere())(
    'refuses files that hold no certificate, no key, or that of another certificate',
    async () => {
      const made = await certificates();
      const [mine, other] = [await made.sign('me'), await made.sign('other')];
      const empty = `${mine.key}.empty`;
      await writeFile(empty, 'not PEM');
      const settings = (files: Record<string, string>) => () => kafkaSettings('kafkas://a:1', files);
      const pair = (cert: string, key: string) => settings({ WHALE_KAFKA_TLS_CERT: cert, WHALE_KAFKA_TLS_KEY: key });
      expect(settings({ WHALE_KAFKA_TLS_CA: empty })).toThrow(
        `WHALE_KAFKA_TLS_CA: expected a certificate in PEM, which ${empty} is not`,
      );
      expect(pair(empty, mine.key)).toThrow(
        `WHALE_KAFKA_TLS_CERT: expected a certificate in PEM, which ${empty} is not`,
      );
      for (const key of [empty, other.key])
        expect(pair(mine.cert, key)).toThrow(`WHALE_KAFKA_TLS_KEY: expected the key of ${mine.cert} in PEM`);
      expect(pair(mine.cert, mine.key)).not.toThrow();
    },
  );

  it.each([
    ['http://a:1', {}, 'kafka://host:port'],
    ['kafka://', {}, 'kafka://host:port'],
    ['kafka://a', {}, '"a" is no host:port'],
    ['kafka://a:99999', {}, '"a:99999" is no host:port'],
    ['kafka://a:1/topic', {}, 'kafka://host:port'],
    ['kafka://[::1]:1', {}, 'IPv6'],
    ['kafka://a:1', { WHALE_KAFKA_COMPRESSION: 'zstd' }, 'WHALE_KAFKA_COMPRESSION: expected one of none, gzip'],
    ['kafka://a:1', { WHALE_KAFKA_REPLICATION: 'many' }, 'WHALE_KAFKA_REPLICATION: expected a whole number'],
    ['kafka://a:1', { WHALE_KAFKA_TOPIC_PREFIX: 'a b' }, 'WHALE_KAFKA_TOPIC_PREFIX: expected at most 100'],
    ['kafka://a:1', { WHALE_KAFKA_SASL_MECHANISM: 'gssapi' }, 'WHALE_KAFKA_SASL_MECHANISM: expected one of plain'],
    ['kafka://a:1', { WHALE_KAFKA_USERNAME: 'me' }, 'WHALE_KAFKA_SASL_MECHANISM, WHALE_KAFKA_PASSWORD: expected'],
    ['kafka://a:1', { WHALE_KAFKA_TLS_CA: 'ca.pem' }, 'expected kafkas://'],
    ['kafkas://a:1', { WHALE_KAFKA_TLS_CERT: 'c.pem' }, 'WHALE_KAFKA_TLS_CERT and WHALE_KAFKA_TLS_KEY: expected both'],
    ['kafkas://a:1', { WHALE_KAFKA_TLS_CA: '/nowhere/ca.pem' }, 'WHALE_KAFKA_TLS_CA: expected the path'],
  ] satisfies [string, Record<string, string>, string][])('%s with %o is bad input', (url, env, message) => {
    expect(() => kafkaSettings(url, env)).toThrow(InputError);
    expect(() => kafkaSettings(url, env)).toThrow(message);
  });

  it('does not repeat a URL that holds a password', () => {
    expect(() => kafkaSettings('kafka://me:pass-word@a:1', {})).toThrow(/^(?!.*pass-word).*WHALE_KAFKA_PASSWORD/);
  });
});
