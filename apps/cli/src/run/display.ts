import type { AnyEvent } from '@whale/contracts';
import type { ExperimentView } from '@whale/experiment-view';
import { elapsed, oneLine } from '../print/text.ts';
import { milestone } from './milestones.ts';
import { RepeatFold } from './repeat-fold.ts';

/** What shows a run while it goes on. */
export interface Display {
  /** New events, already part of the view. */
  update(events: readonly AnyEvent[], view: ExperimentView): void;
  /** A line of the operator's: something waits, was parked or failed. */
  trouble(line: string): void;
  note(line: string): void;
  /** Leaves the terminal as it should be. */
  close(): void;
}

/** Whether lines of this stream can be drawn again in place: the terminals of some CI have 0 rows, and take nothing. */
export function canRedraw(
  { isTTY, columns, rows }: { isTTY?: boolean; columns?: number; rows?: number },
  environment: NodeJS.ProcessEnv,
): boolean {
  return isTTY === true && Boolean(columns) && Boolean(rows) && environment['TERM'] !== 'dumb';
}

/** One line for each thing that matters, for files, pipes and CI. */
export class PlainDisplay implements Display {
  readonly #write: (line: string) => void;
  readonly #started = Date.now();

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  update(events: readonly AnyEvent[], view: ExperimentView): void {
    for (const event of events) {
      const shown = milestone(event, view);
      if (shown) this.#line(shown.text);
    }
  }

  trouble(line: string): void {
    this.#line(`(${line})`);
  }

  note(line: string): void {
    this.#line(line);
  }

  close(): void {
    // Nothing is held open.
  }

  #line(text: string): void {
    this.#write(`${elapsed((Date.now() - this.#started) / 1000).padStart(6)}  ${oneLine(text)}`);
  }
}

/** A display that is not flooded: trouble that says the same again is counted. */
export class FoldedDisplay implements Display {
  readonly #display: Display;
  readonly #fold = new RepeatFold();

  constructor(display: Display) {
    this.#display = display;
  }

  update(events: readonly AnyEvent[], view: ExperimentView): void {
    this.#tell(this.#fold.due(Date.now()));
    this.#display.update(events, view);
  }

  trouble(line: string): void {
    this.#tell(this.#fold.take(line, Date.now()));
  }

  note(line: string): void {
    this.#display.note(line);
  }

  close(): void {
    this.#tell(this.#fold.flush());
    this.#display.close();
  }

  #tell(lines: readonly string[]): void {
    for (const line of lines) this.#display.trouble(line);
  }
}
