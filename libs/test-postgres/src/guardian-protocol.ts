/** What a guardian is told when it starts, as JSON in its one argument. */
export interface GuardianTask {
  /** The server ends with this process, however that ends. */
  parent: number;
  settings: Readonly<Record<string, string>>;
  /** A file that the url is written to, in a folder of its own, which goes away with the server. */
  announce?: string;
}

export type Order = 'kill' | 'restart' | 'stop';

/** From the guardian: at first the url, then the answer to each order. */
export type Answer = { url: string } | { done: Order } | { failed: string };
