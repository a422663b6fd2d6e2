import { EnvironmentError, InputError, WhaleError } from '@whale/kernel';
import { brokerAvailability } from './distribution.ts';
import { DockerBroker } from './docker-broker.ts';
import { JavaBroker } from './java-broker.ts';
import type { Machine } from './machine.ts';
import { freePort, isFree } from './ports.ts';
import { askCoordinators, untilReady } from './readiness.ts';
import { passwordOf, type User } from './security.ts';
import { OFFSETS_PARTITIONS } from './settings.ts';
import { TlsSide, type TlsAccess } from './tls-side.ts';

const START_LIMIT_MS = 90_000;
const ANSWER_LIMIT_MS = 15_000;

export interface BrokerOptions {
  /** SASL/PLAIN with the users of `USERS`, and an authorizer that refuses what no ACL allows. */
  sasl?: boolean;
  /** All of `sasl`, and listeners with TLS: `Broker.tls`. Needs openssl. */
  tls?: boolean;
  /** Default: a free one. */
  port?: number;
  /** What takes long, as a line for a person. */
  log?: (line: string) => void;
}

/** A broker for development and tests. It ends with the process that started it, however that ends. */
export interface Broker {
  readonly brokers: readonly string[];
  /** `kafka://host:port` */
  readonly url: string;
  /** Of the Java process; undefined while it is not running, and where it is another's or a container. */
  readonly pid: number | undefined;
  /** Undefined unless it was started with `tls`. */
  readonly tls: TlsAccess | undefined;
  password(user: User): string;
  /** SIGKILL; nothing when it is killed already. */
  kill(): Promise<void>;
  /** Kills it if it runs, and starts it on the same port and data; resolves when it answers again. */
  restart(): Promise<void>;
  /** Stops answering without closing a connection, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Uses KAFKA_BROKERS when set, else a container where a Docker engine is, else Java and Maven. Resolves when it answers
 * and its group coordinators are ready. Throws EnvironmentError that says what is missing, and `BROKER_NOT_OURS` for
 * what a broker of KAFKA_BROKERS cannot do.
 */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  const availability = brokerAvailability();
  if (!availability.available) {
    throw new EnvironmentError(
      `a Kafka broker cannot be started: ${availability.why}. Set KAFKA_BROKERS=host:port, or install Docker, or Java 17 and Maven.`,
    );
  }
  if (availability.how === 'KAFKA_BROKERS') return existing(process.env['KAFKA_BROKERS'] as string, options);
  return startOwn(availability.how, options);
}

async function startOwn(how: 'docker' | 'java', options: BrokerOptions): Promise<Broker> {
  const side = options.tls ? await TlsSide.make() : null;
  try {
    return await startBeside(side, how, options);
  } catch (error) {
    await side?.remove();
    throw error;
  }
}

async function startBeside(side: TlsSide | null, how: 'docker' | 'java', options: BrokerOptions): Promise<Broker> {
  const { sasl = side !== null, port = await freePort(), log = () => undefined } = options;
  if (!(await isFree(port))) throw new InputError(`port ${port} is taken: expected one that nobody listens on`);
  const settings = { id: 1, port, controllerPorts: [await freePort()], sasl, tls: side?.listeners ?? null };
  const brokers = [`127.0.0.1:${port}`];
  const admin = { mechanism: 'plain', username: 'admin', password: passwordOf('admin') } as const;
  const machine: Machine = await (how === 'java' ? JavaBroker : DockerBroker).prepare(settings, log);
  const start = async () => {
    await machine.start();
    await untilReady(sasl ? { brokers, sasl: admin } : { brokers }, {
      checkAlive: () => machine.checkAlive(),
      limitMs: START_LIMIT_MS,
      ask: (client, kafka) => askCoordinators(client, kafka, OFFSETS_PARTITIONS),
    });
  };
  try {
    await start();
  } catch (error) {
    await machine.remove();
    throw error;
  }
  return {
    ...place(brokers),
    tls: side?.access,
    get pid() {
      return machine.pid;
    },
    kill: () => machine.kill(),
    restart: async () => {
      await machine.kill();
      await start();
    },
    pause: async () => machine.pause(),
    resume: async () => machine.resume(),
    stop: async () => {
      await machine.remove();
      await side?.remove();
    },
  };
}

async function existing(list: string, { sasl, tls }: BrokerOptions): Promise<Broker> {
  const refuse = async (): Promise<never> => {
    throw new WhaleError(
      'BROKER_NOT_OURS',
      `the broker of KAFKA_BROKERS (${list}) is not configured or ended from here`,
    );
  };
  if (sasl || tls) return refuse();
  const brokers = list.split(',').map((address) => address.trim());
  await untilReady({ brokers }, { limitMs: ANSWER_LIMIT_MS, ask: (admin) => admin.describeCluster() });
  return {
    ...place(brokers),
    pid: undefined,
    tls: undefined,
    kill: refuse,
    restart: refuse,
    pause: refuse,
    resume: refuse,
    stop: async () => undefined,
  };
}

function place(brokers: readonly string[]) {
  return { brokers, url: `kafka://${brokers.join(',')}`, password: passwordOf };
}
