import { EnvironmentError } from '@whale/kernel';
import { whyNoJava } from './distribution.ts';
import { JavaBroker } from './java-broker.ts';
import { freePort } from './ports.ts';
import { askCoordinators, untilReady } from './readiness.ts';
import { OFFSETS_PARTITIONS } from './settings.ts';

const START_LIMIT_MS = 120_000;

export interface ClusterNode {
  /** As the metadata of topics name it. */
  readonly id: number;
  /** SIGKILL; nothing when it is killed already. */
  kill(): Promise<void>;
}

/** Brokers of one cluster, each a controller too; topics have a copy on every one unless they say otherwise. */
export interface Cluster {
  readonly brokers: readonly string[];
  /** `kafka://host:port,host:port…` */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** Ends all and removes their data. */
  stop(): Promise<void>;
}

/**
 * So many Java processes of about 350 MB on this machine, which end with this process. Resolves when all answer. Throws
 * EnvironmentError.
 */
export async function startCluster(nodes: number, log: (line: string) => void = () => undefined): Promise<Cluster> {
  const why = whyNoJava();
  if (why !== null) throw new EnvironmentError(`a Kafka cluster cannot be started: ${why}`);
  const ids = Array.from({ length: nodes }, (_, index) => index + 1);
  const ports = await freePorts(2 * nodes);
  const controllerPorts = ports.slice(nodes);
  const brokers = ports.slice(0, nodes).map((port) => `127.0.0.1:${port}`);
  const machines: JavaBroker[] = [];
  const stop = async () => void (await Promise.all(machines.map((machine) => machine.remove())));
  try {
    await Promise.all(
      ids.map(async (id) => {
        const settings = { id, port: ports[id - 1] as number, controllerPorts, sasl: false, tls: null };
        machines[id - 1] = await JavaBroker.prepare(settings, log);
        machines[id - 1]?.start();
      }),
    );
    await untilReady(
      { brokers },
      {
        checkAlive: () => machines.forEach((machine) => machine.checkAlive()),
        limitMs: START_LIMIT_MS,
        ask: async (admin, kafka) => {
          const { brokers: present } = await admin.describeCluster();
          if (present.length < nodes) throw new Error(`${present.length} of ${nodes} brokers are there`);
          await askCoordinators(admin, kafka, OFFSETS_PARTITIONS);
        },
      },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    brokers,
    url: `kafka://${brokers.join(',')}`,
    nodes: machines.map((machine, index) => ({ id: index + 1, kill: () => machine.kill() })),
    stop,
  };
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
