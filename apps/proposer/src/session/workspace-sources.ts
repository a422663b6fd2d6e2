import { WorkspaceSource, type WorkspaceLog } from '@whale/proposers';

/** Experiments of which scores and places of trajectories are kept between requests. */
const MOST_KEPT = 4;

/** A WorkspaceSource for each experiment, so that the next request reads on instead of from the beginning. */
export class WorkspaceSources {
  readonly #from: WorkspaceLog;
  readonly #kept = new Map<string, WorkspaceSource>();

  constructor(from: WorkspaceLog) {
    this.#from = from;
  }

  of(experimentId: string): WorkspaceSource {
    const source = this.#kept.get(experimentId) ?? new WorkspaceSource(this.#from, experimentId);
    // The one that was used last stands last.
    this.#kept.delete(experimentId);
    this.#kept.set(experimentId, source);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return source;
  }
}
