import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { EnvironmentError, quoted, Watchdog } from '@whale/kernel';
import { kafkaJars } from './distribution.ts';
import type { Machine } from './machine.ts';
import { formatArguments, HEAP, serverProperties, type BrokerSettings } from './settings.ts';

const LAST_LINES = 30;

/**
 * The broker as a Java process in a session of its own (Ctrl-C ends its parent, which ends it), with a temporary folder
 * for configuration and data.
 *
 * 1. The process writes its id into the folder before it becomes the broker, or does not become it; so whoever removes
 *    the folder after killing the process of that id leaves nothing behind.
 * 2. The id is there only while the process is: no other process of the same id is killed.
 */
export class JavaBroker implements Machine {
  readonly #jars: string;
  readonly #folder: string;
  readonly #watchdog: Watchdog;
  #child: ChildProcess | null = null;
  #lines: string[] = [];

  private constructor(jars: string, folder: string) {
    this.#jars = jars;
    this.#folder = folder;
    const pidFile = quoted(join(folder, 'pid'));
    this.#watchdog = new Watchdog(`[ -f ${pidFile} ] && kill -9 $(cat ${pidFile}); rm -rf ${quoted(folder)}`);
  }

  /** Fetches Kafka when it is not here yet, and formats the storage. */
  static async prepare(settings: BrokerSettings, log: (line: string) => void): Promise<JavaBroker> {
    const jars = await kafkaJars(log);
    const folder = await mkdtemp(join(tmpdir(), 'whale-kafka-'));
    const broker = new JavaBroker(jars, folder);
    try {
      const dataFolder = join(folder, 'data');
      await mkdir(dataFolder);
      await writeFile(broker.#properties, serverProperties(settings, { listenOn: '127.0.0.1', dataFolder }));
      const format = [...formatArguments(settings), '-c', broker.#properties];
      await promisify(execFile)('java', broker.#java('kafka.tools.StorageTool', ...format));
      return broker;
    } catch (cause) {
      await broker.remove();
      throw new EnvironmentError(`Kafka's storage could not be formatted: ${(cause as Error).message}`, { cause });
    }
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const script = 'echo $$ >"$0" && exec java "$@"';
    const args = ['-c', script, join(this.#folder, 'pid'), ...this.#java('kafka.Kafka', this.#properties)];
    const child = spawn('/bin/sh', args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#lines = [];
    const keep = (chunk: Buffer) => {
      this.#lines = [...this.#lines, ...chunk.toString().split('\n').filter(Boolean)].slice(-LAST_LINES);
    };
    child.on('error', (error) => this.#lines.push(error.message));
    child.on('exit', () => {
      if (this.#child === child) this.#child = null;
      // At once: later it could be the file of the next start.
      rmSync(join(this.#folder, 'pid'), { force: true });
    });
    // The broker alone keeps no process alive.
    child.unref();
    for (const stream of [child.stdout, child.stderr] as (Readable & { unref(): void })[]) {
      stream.on('data', keep);
      stream.unref();
    }
    this.#child = child;
  }

  checkAlive(): void {
    if (this.#child) return;
    throw new EnvironmentError(`the Kafka broker ended by itself:\n${this.#lines.join('\n')}`);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const ended = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    this.#watchdog.dismiss();
  }

  get #properties(): string {
    return join(this.#folder, 'server.properties');
  }

  #java(main: string, ...args: string[]): string[] {
    const quiet = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
    return [HEAP, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', quiet, '-cp', join(this.#jars, '*'), main, ...args];
  }
}
