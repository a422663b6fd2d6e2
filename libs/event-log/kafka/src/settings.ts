import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { inspect } from 'node:util';
import { z } from 'zod';
import { InputError } from '@whale/kernel';

/** A text that no print, inspection or JSON shows. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

export const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
export const COMPRESSIONS = ['none', 'gzip'] as const;

export interface KafkaSettings {
  /** `host:port` of the brokers asked first. */
  brokers: readonly string[];
  /** Null for plain text. PEM texts; the system's authorities are trusted when `ca` is absent. */
  tls: { ca?: string; cert?: string; key?: Secret } | null;
  sasl: { mechanism: (typeof SASL_MECHANISMS)[number]; username: string; password: Secret } | null;
  clientId: string;
  /** Put before each topic's name on the broker; users of the log see names without it. */
  topicPrefix: string;
  /** Put before each group's name on the broker. */
  groupPrefix: string;
  /** Copies of a new topic that says nothing else; -1 leaves it to the broker. */
  replicationFactor: number;
  compression: (typeof COMPRESSIONS)[number];
  /** A member of a group that gives no sign of life for so many ms loses its partitions. */
  sessionTimeoutMs: number;
}

const URL_SHAPE = /^(kafkas?):\/\/([^/?#]+)\/?$/;
const BROKER = /^[A-Za-z0-9._-]+:(\d{1,5})$/;
const EXPECTED_URL = 'kafka://host:port[,host:port…], or kafkas:// for TLS';

const name = z.string().regex(/^[A-Za-z0-9._-]{0,100}$/, 'at most 100 of a-z A-Z 0-9 . _ -');
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` });
const wholeNumber = (least: number, most: number) =>
  z.coerce
    .number({ error: `a whole number from ${least} to ${most}` })
    .int(`a whole number from ${least} to ${most}`)
    .min(least, `a whole number from ${least} to ${most}`)
    .max(most, `a whole number from ${least} to ${most}`);

const Environment = z.object({
  WHALE_KAFKA_CLIENT_ID: name.min(1, 'at least one character').default('whale'),
  WHALE_KAFKA_TOPIC_PREFIX: name.default(''),
  WHALE_KAFKA_GROUP_PREFIX: name.optional(),
  WHALE_KAFKA_TLS_CA: z.string().optional(),
  WHALE_KAFKA_TLS_CERT: z.string().optional(),
  WHALE_KAFKA_TLS_KEY: z.string().optional(),
  WHALE_KAFKA_SASL_MECHANISM: oneOf(SASL_MECHANISMS).optional(),
  WHALE_KAFKA_USERNAME: z.string().min(1, 'a name').optional(),
  WHALE_KAFKA_PASSWORD: z.string().min(1, 'a password').optional(),
  WHALE_KAFKA_REPLICATION: wholeNumber(1, 32_767).optional(),
  WHALE_KAFKA_COMPRESSION: oneOf(COMPRESSIONS).default('gzip'),
  WHALE_KAFKA_SESSION_TIMEOUT_MS: wholeNumber(1_000, 1_800_000).default(10_000),
});
type Environment = z.output<typeof Environment>;

/** From `kafka://…` and WHALE_KAFKA_… variables. Throws `InputError` that names what is wrong and what is expected. */
export function kafkaSettings(url: string, env: Readonly<Record<string, string | undefined>>): KafkaSettings {
  const { secure, brokers } = parseUrl(url);
  const known = Object.fromEntries(
    Object.keys(Environment.shape).flatMap((key) => (env[key] ? [[key, env[key]]] : [])),
  );
  const parsed = Environment.safeParse(known);
  if (!parsed.success) {
    throw new InputError(
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: expected ${message}`).join('; '),
    );
  }
  const values = parsed.data;
  return {
    brokers,
    tls: tlsOf(values, secure),
    sasl: saslOf(values),
    clientId: values.WHALE_KAFKA_CLIENT_ID,
    topicPrefix: values.WHALE_KAFKA_TOPIC_PREFIX,
    groupPrefix: values.WHALE_KAFKA_GROUP_PREFIX ?? values.WHALE_KAFKA_TOPIC_PREFIX,
    replicationFactor: values.WHALE_KAFKA_REPLICATION ?? -1,
    compression: values.WHALE_KAFKA_COMPRESSION,
    sessionTimeoutMs: values.WHALE_KAFKA_SESSION_TIMEOUT_MS,
  };
}

function parseUrl(url: string): { secure: boolean; brokers: string[] } {
  // Such a URL is not repeated in a message: it may hold a password.
  if (url.includes('@')) {
    throw new InputError(
      'the URL of the log holds a user: expected none; set WHALE_KAFKA_SASL_MECHANISM, WHALE_KAFKA_USERNAME and WHALE_KAFKA_PASSWORD instead',
    );
  }
  const match = URL_SHAPE.exec(url);
  if (match === null) throw new InputError(`log ${url}: expected ${EXPECTED_URL}`);
  const [, scheme, authority] = match as unknown as [string, string, string];
  // kafkajs takes what stands before the first colon for the host.
  if (authority.includes('[')) {
    throw new InputError(`log ${url}: expected a host's name or IPv4 address, since kafkajs knows no IPv6 address`);
  }
  const brokers = authority.split(',').map((broker) => broker.trim());
  for (const broker of brokers) {
    const port = Number(BROKER.exec(broker)?.[1]);
    if (!(port >= 1 && port <= 65_535)) {
      throw new InputError(`log ${url}: ${JSON.stringify(broker)} is no host:port; expected ${EXPECTED_URL}`);
    }
  }
  return { secure: scheme === 'kafkas', brokers };
}

function tlsOf(values: Environment, secure: boolean): KafkaSettings['tls'] {
  const { WHALE_KAFKA_TLS_CA: ca, WHALE_KAFKA_TLS_CERT: cert, WHALE_KAFKA_TLS_KEY: key } = values;
  if (!secure) {
    if ((ca ?? cert ?? key) === undefined) return null;
    throw new InputError('WHALE_KAFKA_TLS_… is set but the log is kafka://: expected kafkas:// for TLS');
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new InputError('WHALE_KAFKA_TLS_CERT and WHALE_KAFKA_TLS_KEY: expected both or none');
  }
  return {
    ...(ca === undefined ? {} : { ca: certificateOf('WHALE_KAFKA_TLS_CA', ca) }),
    ...(cert === undefined || key === undefined ? {} : keyPairOf(cert, key)),
  };
}

function certificateOf(variable: string, path: string): string {
  const text = fileOf(variable, path);
  try {
    new X509Certificate(text);
    return text;
  } catch (error) {
    throw new InputError(`${variable}: expected a certificate in PEM, which ${path} is not`, { cause: error });
  }
}

function keyPairOf(certPath: string, keyPath: string): { cert: string; key: Secret } {
  const cert = certificateOf('WHALE_KAFKA_TLS_CERT', certPath);
  const key = fileOf('WHALE_KAFKA_TLS_KEY', keyPath);
  try {
    createSecureContext({ cert, key });
    return { cert, key: new Secret(key) };
  } catch (error) {
    const expected = `the key of ${certPath} in PEM, without a passphrase, which ${keyPath} is not`;
    throw new InputError(`WHALE_KAFKA_TLS_KEY: expected ${expected}`, { cause: error });
  }
}

function fileOf(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InputError(`${variable}: expected the path of a readable PEM file, not ${path}`, { cause: error });
  }
}

function saslOf(values: Environment): KafkaSettings['sasl'] {
  const {
    WHALE_KAFKA_SASL_MECHANISM: mechanism,
    WHALE_KAFKA_USERNAME: username,
    WHALE_KAFKA_PASSWORD: password,
  } = values;
  if (mechanism === undefined && username === undefined && password === undefined) return null;
  const missing = [
    ...(mechanism === undefined ? ['WHALE_KAFKA_SASL_MECHANISM'] : []),
    ...(username === undefined ? ['WHALE_KAFKA_USERNAME'] : []),
    ...(password === undefined ? ['WHALE_KAFKA_PASSWORD'] : []),
  ];
  if (mechanism === undefined || username === undefined || password === undefined) {
    throw new InputError(`${missing.join(', ')}: expected too, since another variable of SASL is set`);
  }
  return { mechanism, username, password: new Secret(password) };
}
