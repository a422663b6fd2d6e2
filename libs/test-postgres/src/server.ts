import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '@whale/kernel';
import { postgresBinaries, type Binaries } from './binaries.ts';

/** PostgreSQL refuses to run as root; this user owns nothing and exists wherever root does. */
const NOBODY = 65_534;
const START_TRIES = 20;
const LONGEST_STOP_MS = 10_000;

/** Kills do not lose what the kernel holds, so tests need no sync to the disk; a test of power cuts would. */
const QUICK = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_connections: '200' };

/** One PostgreSQL server in a temporary folder, on a free port of the loopback interface. */
export class Server {
  readonly url: string;
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #options: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(url: string, folder: string, binaries: Binaries, options: readonly string[]) {
    this.url = url;
    this.#folder = folder;
    this.#binaries = binaries;
    this.#options = options;
  }

  /** Makes the cluster and starts it. `settings` are lines of postgresql.conf. Throws EnvironmentError. */
  static async start(settings: Readonly<Record<string, string>>): Promise<Server> {
    const folder = await mkdtemp(join(tmpdir(), 'whale-postgres-'));
    try {
      const uid = process.getuid?.() === 0 ? NOBODY : undefined;
      if (uid !== undefined) await chown(folder, uid, uid);
      const binaries = await postgresBinaries(uid, folder);
      const password = crypto.randomUUID();
      await initialise(binaries, folder, password);
      const port = await freePort();
      const all = { ...QUICK, listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
      const server = new Server(`postgresql://whale:${password}@127.0.0.1:${port}/postgres`, folder, binaries, [
        ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        '-p',
        String(port),
      ]);
      await server.run();
      return server;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Starts the program and waits until it takes connections; after a kill as soon as its workers are gone. */
  async run(): Promise<void> {
    let said = '';
    for (let attempt = 0; attempt < START_TRIES; attempt++) {
      const child = spawnAs(this.#binaries.postgres, ['-D', join(this.#folder, 'data'), ...this.#options]);
      said = '';
      const ready = new Promise<boolean>((resolve) => {
        child.stderr?.on('data', (chunk: Buffer) => {
          said = (said + chunk.toString()).slice(-4_000);
          if (said.includes('ready to accept connections')) resolve(true);
        });
        child.once('exit', () => resolve(false));
        child.once('error', (error) => {
          said += error.message;
          resolve(false);
        });
      });
      if (await ready) {
        this.#process = child;
        return;
      }
      await sleep(100);
    }
    throw new EnvironmentError(`PostgreSQL does not start: ${said}`);
  }

  /** By SIGINT all connections are cut and the server shuts down; SIGKILL leaves it and its workers no time for anything. */
  async halt(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    const workers = signal === 'SIGKILL' ? await childrenOf(child.pid as number) : [];
    child.kill(signal);
    for (const worker of workers) killIfThere(worker);
    const tooLong = setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP_MS);
    await exited;
    clearTimeout(tooLong);
  }

  async remove(): Promise<void> {
    await this.halt('SIGINT');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Workers go on answering until they notice that the server is gone. Where there is no /proc they are left to do so. */
async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return list.split(' ').map(Number).filter(Boolean);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was quicker.
  }
}

async function initialise({ initdb }: Binaries, folder: string, password: string): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${password}\n`);
  const log = await open(join(folder, 'initdb.txt'), 'a');
  try {
    const child = spawnAs(
      initdb,
      // A collation unlike that of SQLite, so that no order of text is right by chance.
      ['-D', join(folder, 'data'), '-U', 'whale', '-A', 'password', `--pwfile=${passwordFile}`, '--no-sync'].concat([
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=icu',
        '--icu-locale=en-US',
      ]),
      log.fd,
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code === 0) return;
    const said = await readFile(join(folder, 'initdb.txt'), 'utf8');
    throw new EnvironmentError(`PostgreSQL's initdb failed: ${said.trim()}`);
  } finally {
    await log.close();
    await rm(passwordFile, { force: true });
  }
}

function spawnAs(program: string, options: readonly string[], stderr: number | 'pipe' = 'pipe'): ChildProcess {
  return spawn(program, options, {
    stdio: ['ignore', 'ignore', stderr],
    cwd: '/',
    ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
