import { LogError, type LogErrorCode } from '@whale/event-log';
import { tlsTrouble } from './tls-trouble.ts';

/** What kafkajs throws: `type` is the protocol's name of an error, `cause` and `originalError` what lies below. */
interface KafkaFailure {
  name?: unknown;
  type?: unknown;
  code?: unknown;
  message?: unknown;
  retriable?: unknown;
  cause?: unknown;
  originalError?: unknown;
}

const CODES: Readonly<Record<string, LogErrorCode>> = {
  MESSAGE_TOO_LARGE: 'LOG_RECORD_TOO_LARGE',
  RECORD_LIST_TOO_LARGE: 'LOG_RECORD_TOO_LARGE',
  UNKNOWN_TOPIC_OR_PARTITION: 'LOG_UNKNOWN_TOPIC',
  INVALID_TOPIC_EXCEPTION: 'LOG_TOPIC_INVALID',
  INVALID_PARTITIONS: 'LOG_TOPIC_INVALID',
  INVALID_REPLICATION_FACTOR: 'LOG_TOPIC_INVALID',
  INVALID_CONFIG: 'LOG_TOPIC_INVALID',
  POLICY_VIOLATION: 'LOG_TOPIC_INVALID',
  TOPIC_AUTHORIZATION_FAILED: 'LOG_UNAUTHORIZED',
  GROUP_AUTHORIZATION_FAILED: 'LOG_UNAUTHORIZED',
  CLUSTER_AUTHORIZATION_FAILED: 'LOG_UNAUTHORIZED',
  SASL_AUTHENTICATION_FAILED: 'LOG_UNAUTHORIZED',
  UNSUPPORTED_SASL_MECHANISM: 'LOG_UNAUTHORIZED',
  // Of a listener that knows no users.
  ILLEGAL_SASL_STATE: 'LOG_UNAUTHORIZED',
};

const REMEDIES: Readonly<Partial<Record<LogErrorCode, string>>> = {
  LOG_RECORD_TOO_LARGE: "larger than the topic's max.message.bytes: put the content behind a claim check",
  LOG_UNKNOWN_TOPIC: 'create it with `whale topics --apply`',
  LOG_UNAUTHORIZED: 'check WHALE_KAFKA_… and the ACLs (`whale topics --acls`)',
};

/** kafkajs looks at all topics that there are before it administers anything. */
const LEADERLESS =
  'some partition on these brokers, maybe of another topic, has no leader; `kafka-topics.sh --describe --unavailable-partitions` names it';

const NAMED_BY_BROKERS =
  'a host that is not in the URL of the log is one by which a broker calls itself (advertised.listeners)';

const AUTHENTICATION = 'KafkaJSSASLAuthenticationError';

/** Any failure of kafkajs as a `LogError`; `about` says what was tried, on what. */
export function toLogError(error: unknown, about: string): LogError {
  if (error instanceof LogError) return error;
  const chain = causes(error);
  const said = messageOf(chain.at(-1) ?? error);
  const code = codeOf(chain);
  if (code !== undefined) {
    const remedy = REMEDIES[code];
    return new LogError(code, `${about}: ${said}${remedy === undefined ? '' : `; ${remedy}`}`, { cause: error });
  }
  const certificate = tlsTrouble(chain);
  if (certificate !== undefined) return new LogError('LOG_UNAUTHORIZED', `${about}: ${certificate}`, { cause: error });
  const fatal = chain.some(({ name, retriable }) => name === 'KafkaJSProtocolError' && retriable === false);
  if (fatal) return new LogError('LOG_IO', `${about}: ${said}`, { cause: error });
  const why = chain.some(({ type }) => type === 'LEADER_NOT_AVAILABLE') ? LEADERLESS : said;
  const remedy = said.includes('ENOTFOUND') ? `; ${NAMED_BY_BROKERS}` : '';
  return new LogError('LOG_UNAVAILABLE', `${about}: ${why}${remedy}`, { retryable: true, cause: error });
}

/** The protocol's name of what went wrong, from wherever in the chain it is. */
export function typeOf(error: unknown): string | undefined {
  const typed = causes(error).find(({ type }) => typeof type === 'string');
  return typed?.type as string | undefined;
}

/** The membership in the group is over or about to change: the member has to join again. */
export function isMembershipOver(error: unknown): boolean {
  const type = typeOf(error) ?? '';
  return ['REBALANCE_IN_PROGRESS', 'NOT_COORDINATOR_FOR_GROUP', 'ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'].includes(
    type,
  );
}

function codeOf(chain: readonly KafkaFailure[]): LogErrorCode | undefined {
  for (const { name, type } of chain) {
    const code = CODES[String(type)];
    if (code !== undefined) return code;
    if (name === AUTHENTICATION) return 'LOG_UNAUTHORIZED';
  }
  return undefined;
}

/** The error and what lies below it, outermost first. */
export function causes(error: unknown): KafkaFailure[] {
  const chain: KafkaFailure[] = [];
  for (let at: unknown = error; typeof at === 'object' && at !== null && chain.length < 10;) {
    const failure = at as KafkaFailure;
    chain.push(failure);
    at = failure.cause ?? failure.originalError;
  }
  return chain;
}

function messageOf(error: unknown): string {
  const message = (error as KafkaFailure | null)?.message;
  return typeof message === 'string' ? message : String(error);
}
