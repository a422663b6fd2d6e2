import { Worker } from 'node:worker_threads';

export interface FoundLine {
  /** From 1. */
  number: number;
  /** At most some hundred characters about the match. */
  text: string;
}

export interface FoundLines {
  shown: readonly FoundLine[];
  /** Lines that match, shown or not. */
  matching: number;
}

/** Why a search had to be given up, as a sentence for the model. */
export class SearchStopped extends Error {}

export interface Pattern {
  source: string;
  flags: string;
}

const MEGABYTES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/**
 * Searches texts line by line with a pattern that nobody vouches for, in a thread of its own. A text that takes longer
 * than `limitMs`, or more memory than there is for it, ends the thread: nothing else stands still meanwhile.
 */
export class LineSearch {
  readonly #worker: Worker;
  readonly #limitMs: number;
  readonly #signal: AbortSignal;

  constructor(pattern: Pattern, limitMs: number, signal: AbortSignal) {
    this.#worker = new Worker(new URL('./grep-worker.mjs', import.meta.url), {
      workerData: pattern,
      execArgv: [],
      resourceLimits: MEGABYTES,
    });
    // Between two texts there is nobody to tell; the next one finds the thread gone.
    this.#worker.on('error', () => undefined);
    this.#limitMs = limitMs;
    this.#signal = signal;
  }

  /** One text at a time. Throws SearchStopped, after which the search is over, and what the signal was aborted with. */
  async lines(text: string, most: number): Promise<FoundLines> {
    this.#signal.throwIfAborted();
    const worker = this.#worker;
    const signal = this.#signal;
    const answer = await new Promise<FoundLines | { problem: string }>((resolve) => {
      const settle = (settled: FoundLines | { problem: string }) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        worker.off('message', settle).off('error', failed).off('exit', ended);
        resolve(settled);
      };
      const failed = ({ message }: Error) => settle({ problem: message });
      const ended = () => settle({ problem: 'its thread ended' });
      const aborted = () => settle({ problem: 'it was stopped' });
      const late = () => settle({ problem: `it took longer than ${this.#limitMs / 1000} s` });
      const timer = setTimeout(late, this.#limitMs);
      worker.on('message', settle).on('error', failed).on('exit', ended);
      signal.addEventListener('abort', aborted);
      worker.postMessage({ text, most });
    });
    if (!('problem' in answer)) return answer;
    await this.close();
    signal.throwIfAborted();
    throw new SearchStopped(answer.problem);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
