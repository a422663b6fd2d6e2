import { canonicalHash } from '@whale/kernel';
import type { CandidateFile, CandidateFolder } from './candidate-files.ts';

/** How often the folder is looked at while the program runs. */
const LOOK_MS = 500;
/** Of one run; a program that writes on and on is not recorded without end. */
const MOST_KEPT = 64;

/**
 * Keeps candidates while the program that writes them still runs, so that a kill loses none that was written: what two
 * looks in a row find unchanged.
 */
export class Keeper {
  readonly #folder: Pick<CandidateFolder, 'read'>;
  readonly #keep: (file: CandidateFile) => Promise<void>;
  readonly #failure = new AbortController();
  readonly #kept = new Set<string>();
  #seen = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(folder: Pick<CandidateFolder, 'read'>, keep: (file: CandidateFile) => Promise<void>) {
    this.#folder = folder;
    this.#keep = keep;
    this.#wait();
  }

  /** Aborts, with the reason, when what was found cannot be kept. */
  get failure(): AbortSignal {
    return this.#failure.signal;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#looking;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().then(
        () => this.#timer && this.#wait(),
        (error) => this.#failure.abort(error),
      );
    }, LOOK_MS);
  }

  async #look(): Promise<void> {
    const { files } = await this.#folder.read();
    const present = files.map((file) => ({ file, key: canonicalHash(file) }));
    for (const { file, key } of present) {
      if (!this.#seen.has(key) || this.#kept.has(key) || this.#kept.size >= MOST_KEPT) continue;
      this.#kept.add(key);
      await this.#keep(file);
    }
    this.#seen = new Set(present.map(({ key }) => key));
  }
}
