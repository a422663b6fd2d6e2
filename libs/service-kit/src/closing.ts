import type { OnApplicationShutdown, Provider } from '@nestjs/common';

interface Closable {
  close(): Promise<void>;
}

class Closing implements OnApplicationShutdown {
  readonly #parts: readonly Closable[];

  constructor(parts: readonly Closable[]) {
    this.#parts = parts;
  }

  async onApplicationShutdown(): Promise<void> {
    for (const part of this.#parts) await part.close();
  }
}

const CLOSING = Symbol('CLOSING');

/** A provider that closes adapters once the service's transport has stopped. */
export function closing(...parts: readonly Closable[]): Provider {
  return { provide: CLOSING, useValue: new Closing(parts) };
}
