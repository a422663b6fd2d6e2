import type { ServiceName } from '@whale/contracts';
import type { Place } from './place.ts';
import { startWhale, type Finished, type Running } from './whale-process.ts';

export interface Member {
  services: readonly ServiceName[];
  running: Running;
}

/** Service processes as an operator runs them, each with one service or a few. */
export class Fleet {
  readonly #place: Place;
  readonly #environmentOf: (services: readonly ServiceName[]) => NodeJS.ProcessEnv;
  readonly #members: Member[] = [];

  /** `environmentOf` adds to the environment of the place what is of one process: its user on the broker. */
  constructor(place: Place, environmentOf: (services: readonly ServiceName[]) => NodeJS.ProcessEnv = () => ({})) {
    this.#place = place;
    this.#environmentOf = environmentOf;
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  start(...services: ServiceName[]): Member {
    const environment = { ...this.#place.environment, ...this.#environmentOf(services) };
    const running = startWhale(['services', ...services, ...this.#place.flags], environment);
    const member = { services, running };
    this.#members.push(member);
    return member;
  }

  /** SIGKILL: no clean-up, no goodbye to the group. */
  async kill(member: Member): Promise<Finished> {
    member.running.process.kill('SIGKILL');
    this.#members.splice(this.#members.indexOf(member), 1);
    return member.running.finished;
  }

  /** As an operator does; every process must end by itself and well. */
  async stop(): Promise<void> {
    for (const { running } of this.#members) running.process.kill('SIGTERM');
    const faults: string[] = [];
    for (const { services, running } of this.#members.splice(0)) {
      const { code, signal, stdout, stderr } = await running.finished;
      // One that was told while it still loaded had no chance to do so.
      const early = signal === 'SIGTERM' && !`${stdout}${stderr}`.includes('running on');
      if (code !== 0 && !early) faults.push(`${services.join()} ended with ${code ?? signal}: ${stderr.slice(-2_000)}`);
    }
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  /** For the end of a test that failed. */
  killAll(): void {
    for (const { running } of this.#members.splice(0)) running.process.kill('SIGKILL');
  }
}
