import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EnvironmentError } from '@whale/kernel';
import type { Answer, GuardianTask, Order } from './guardian-protocol.ts';

/** Lines of postgresql.conf, `{ fsync: 'on' }` for measurements say: by default nothing waits for the disk. */
export type PostgresSettings = Readonly<Record<string, string>>;

export interface RunningPostgres {
  /** With superuser and password; the same after a restart. */
  readonly url: string;
  /** SIGKILL for the server, as when its machine dies; it stays down until `restart`. */
  kill(): Promise<void>;
  /** Starts the killed server again, or stops and starts one that runs; resolves when it takes connections. */
  restart(): Promise<void>;
  /** Ends the server for good and removes its data. */
  stop(): Promise<void>;
}

/**
 * A PostgreSQL server of its own for the calling process, which ends with it in any case. Takes about 3 s. Throws
 * EnvironmentError where the server can't run.
 */
export async function startPostgres(settings: PostgresSettings = {}): Promise<RunningPostgres> {
  const guardian = startGuardian({ parent: process.pid, settings });
  const first = await nextAnswer(guardian);
  if (!('url' in first)) throw new EnvironmentError(failureOf(first));
  guardian.unref();
  guardian.channel?.unref();
  const give = async (order: Order) => {
    guardian.channel?.ref();
    const answered = nextAnswer(guardian);
    guardian.send(order);
    const answer = await answered;
    guardian.channel?.unref();
    if (!('done' in answer)) throw new EnvironmentError(failureOf(answer));
  };
  let stopped: Promise<void> | null = null;
  return {
    url: first.url,
    kill: () => give('kill'),
    restart: () => give('restart'),
    stop: () => (stopped ??= give('stop')),
  };
}

/** A process of its own that runs a server until it is told to stop, or its parent is gone. */
export function startGuardian(task: GuardianTask): ChildProcess {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return fork(fileURLToPath(new URL('./guardian.ts', import.meta.url)), [JSON.stringify(task)], {
    execArgv: ['--import', tsx],
    // Of a group of its own: an interrupt from the keyboard is for the tests, which end first.
    detached: true,
    stdio: 'ignore',
    serialization: 'json',
  });
}

export function nextAnswer(guardian: ChildProcess): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      guardian.off('message', settle).off('exit', gone).off('error', broken);
      resolve(answer);
    };
    const gone = (code: number | null) => settle({ failed: `the guardian of PostgreSQL ended with ${String(code)}` });
    const broken = (error: Error) => settle({ failed: error.message });
    guardian.on('message', settle).on('exit', gone).on('error', broken);
  });
}

function failureOf(answer: Answer): string {
  return 'failed' in answer ? answer.failed : `unexpected answer ${JSON.stringify(answer)}`;
}
