import { createLogUpdate } from 'log-update';
import type { AnyEvent } from '@whale/contracts';
import type { ExperimentView } from '@whale/experiment-view';
import { paint, type Paint } from '../print/paint.ts';
import { elapsed, oneLine } from '../print/text.ts';
import type { Display } from './display.ts';
import { frame } from './frame.ts';
import { milestone, type Milestone } from './milestones.ts';
import { Pace } from './progress.ts';

/** For a terminal that no longer says its size. */
const FALLBACK = { columns: 80, rows: 24 };

/** For a terminal: what happened scrolls by above, where it stands is redrawn in place below, at most 5 times a second. */
export function openLiveDisplay(stream: NodeJS.WriteStream = process.stdout): Display {
  return new LiveDisplay(stream);
}

class LiveDisplay implements Display {
  readonly #stream: NodeJS.WriteStream;
  readonly #paint: Paint;
  readonly #pace = new Pace();
  readonly #startedAt = Date.now();
  readonly #draw: ReturnType<typeof createLogUpdate>;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#paint = paint(stream);
    this.#draw = createLogUpdate(stream);
  }

  update(events: readonly AnyEvent[], view: ExperimentView): void {
    for (const event of events) {
      const shown = milestone(event, view);
      if (shown && !shown.quiet) this.#persist(shown);
    }
    const { columns, rows } = this.#size();
    const now = Date.now();
    const lines = frame({ view, pace: this.#pace, now, startedAt: this.#startedAt, columns, rows, paint: this.#paint });
    this.#draw(`\n${lines.join('\n')}`);
  }

  trouble(line: string): void {
    this.#persist({ text: line, tone: 'dim' });
  }

  note(line: string): void {
    this.#persist({ text: line, tone: 'plain' });
  }

  close(): void {
    this.#draw.clear();
    this.#draw.done();
  }

  #persist({ text, tone }: Milestone): void {
    const { columns } = this.#size();
    const time = elapsed((Date.now() - this.#startedAt) / 1000).padStart(6);
    // It scrolls away, so it may take two lines; the block below may not.
    const line = oneLine(text, 2 * columns - time.length - 3);
    this.#draw.persist(`${this.#paint.dim(time)}  ${this.#tint(tone)(line)}`);
  }

  #size(): { columns: number; rows: number } {
    const { columns, rows } = this.#stream;
    return { columns: columns || FALLBACK.columns, rows: rows || FALLBACK.rows };
  }

  #tint(tone: Milestone['tone']): (text: string) => string {
    const { bold, green, red, dim } = this.#paint;
    return { strong: bold, good: green, bad: red, dim, plain: (text: string) => text }[tone];
  }
}
