import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EnvironmentError, quoted, Watchdog } from '@whale/kernel';
import type { Machine } from './machine.ts';
import { formatArguments, HEAP, KAFKA_VERSION, serverProperties, type BrokerSettings } from './settings.ts';

const script = (settings: BrokerSettings) => `
printf %s "$PROPERTIES" >/tmp/server.properties
/opt/kafka/bin/kafka-storage.sh ${formatArguments(settings).map(quoted).join(' ')} --ignore-formatted -c /tmp/server.properties &&
exec /opt/kafka/bin/kafka-server-start.sh /tmp/server.properties`;

/** The broker as a container, which keeps its data over restarts; nothing of this machine's files is mounted. */
export class DockerBroker implements Machine {
  readonly pid = undefined;
  readonly #id: string;
  readonly #watchdog: Watchdog;

  private constructor(id: string) {
    this.#id = id;
    this.#watchdog = new Watchdog(`docker rm -f -v ${id}`);
  }

  static async prepare(settings: BrokerSettings, log: (line: string) => void): Promise<DockerBroker> {
    const properties = serverProperties(settings, { listenOn: '0.0.0.0', dataFolder: '/tmp/kafka-data' });
    const variables = { PROPERTIES: properties, KAFKA_HEAP_OPTS: HEAP, LOG_DIR: '/tmp/kafka-logs' };
    log(`using a container of apache/kafka:${KAFKA_VERSION}`);
    const id = await docker([
      'create',
      ...portsOf(settings).flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
      ...['--entrypoint', '/bin/sh'],
      ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...[`apache/kafka:${KAFKA_VERSION}`, '-c', script(settings)],
    ]);
    return new DockerBroker(id);
  }

  async start(): Promise<void> {
    await docker(['start', this.#id]);
  }

  async checkAlive(): Promise<void> {
    if (await this.#runs()) return;
    const { stdout, stderr } = await promisify(execFile)('docker', ['logs', '--tail', '30', this.#id]);
    throw new EnvironmentError(`the Kafka container ended by itself:\n${stdout}${stderr}`);
  }

  async kill(): Promise<void> {
    if (await this.#runs()) await docker(['kill', this.#id]);
  }

  async pause(): Promise<void> {
    await docker(['pause', this.#id]);
  }

  async resume(): Promise<void> {
    await docker(['unpause', this.#id]);
  }

  async remove(): Promise<void> {
    await docker(['rm', '-f', '-v', this.#id]);
    this.#watchdog.dismiss();
  }

  async #runs(): Promise<boolean> {
    return (await docker(['inspect', '-f', '{{.State.Running}}', this.#id])) === 'true';
  }
}

function portsOf({ port, tls }: BrokerSettings): number[] {
  return tls === null ? [port] : [port, tls.scramPort, tls.mutualPort];
}

async function docker(args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('docker', args)).stdout.trim();
  } catch (cause) {
    const why = (cause as { stderr?: string }).stderr || (cause as Error).message;
    throw new EnvironmentError(`docker ${args[0]} of a Kafka broker failed: ${why}`, { cause });
  }
}
