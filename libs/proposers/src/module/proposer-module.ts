import type { JsonValue } from '@whale/kernel';
import type { Proposer } from '../proposer.ts';

/** What a user's module exports as default, to be the proposer of `{ kind: module, path: ./my-proposer.ts }`. */
export interface ProposerModule {
  /** For people. */
  name: string;
  /**
   * `options` come from the spec and are parsed by the module's own schema; what it throws is shown with the spec's path.
   * Called once for each path and options in a process: a proposer serves the sessions of all experiments, and keeps
   * nothing from one to the next that its drafts depend on.
   */
  create(options: { readonly [key: string]: JsonValue }): Proposer | Promise<Proposer>;
}
