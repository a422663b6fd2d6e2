import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process of its own that runs a TypeScript module, with a line of JSON for each thing it says. */
export class Child<Message> {
  readonly messages: Message[] = [];
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  #stderr = '';

  /** `user`: numeric id to run as, where the test itself runs as root. */
  constructor(module: URL, args: readonly string[], user?: number) {
    this.#process = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(module), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    this.#exited = once(this.#process, 'exit');
    const { stdout, stderr } = this.#process;
    if (stdout !== null) createInterface(stdout).on('line', (line) => this.messages.push(JSON.parse(line) as Message));
    stderr?.on('data', (data: Buffer) => (this.#stderr += data.toString()));
  }

  /** What it wrote on its standard error: empty when all went well. */
  get complaints(): string {
    return this.#stderr;
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** The exit code; null when a signal ended it. */
  async exit(): Promise<number | null> {
    await this.#exited;
    return this.#process.exitCode;
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.#process.kill('SIGKILL');
    await this.#exited;
  }
}
