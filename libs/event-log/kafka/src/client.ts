import { Kafka, logLevel, type KafkaConfig, type RetryOptions } from 'kafkajs';
import { readEveryCompression } from './codecs.ts';
import { keepConnectionsIdle } from './kafkajs-internals.ts';
import type { KafkaSettings } from './settings.ts';

readEveryCompression();
keepConnectionsIdle();

/** How long a call goes on trying while brokers are away, unless it is told otherwise. */
export const PATIENCE_MS = 12_000;
const CONNECTION_TIMEOUT_MS = 3_000;
/** A broker that is stopped but still connected is found out after so long, unless it is told otherwise. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** Of kafkajs's own tries; what lasts longer is tried again by us, who know how long is long enough. */
export function retries(most: number): RetryOptions {
  return { retries: most, initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 };
}

/** kafkajs says all that matters by its errors too; it never prints. */
export function kafkaClient(
  settings: KafkaSettings,
  retry: RetryOptions,
  requestTimeout: number = REQUEST_TIMEOUT_MS,
): Kafka {
  const { brokers, clientId, tls, sasl } = settings;
  return new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout,
    retry,
    logLevel: logLevel.NOTHING,
    logCreator: () => () => undefined,
    ...(tls === null ? {} : { ssl: { ca: tls.ca, cert: tls.cert, key: tls.key?.reveal() } }),
    ...(sasl === null ? {} : { sasl: saslOptions(sasl) }),
  });
}

function saslOptions(sasl: NonNullable<KafkaSettings['sasl']>): NonNullable<KafkaConfig['sasl']> {
  const { mechanism, username } = sasl;
  return { mechanism, username, password: sasl.password.reveal() } as NonNullable<KafkaConfig['sasl']>;
}
