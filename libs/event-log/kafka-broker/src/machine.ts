/** What runs the broker: a Java process or a container. Its data outlive `kill`, not `remove`. */
export interface Machine {
  readonly pid: number | undefined;
  start(): void | Promise<void>;
  /** Throws EnvironmentError with the last lines when the broker has ended by itself. */
  checkAlive(): void | Promise<void>;
  /** SIGKILL; nothing when it does not run. Resolves when the process is gone. */
  kill(): Promise<void>;
  pause(): void | Promise<void>;
  resume(): void | Promise<void>;
  remove(): Promise<void>;
}
