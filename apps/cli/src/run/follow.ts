import { setTimeout as sleep } from 'node:timers/promises';
import { WeightUpdateFailed, type AnyEvent } from '@whale/contracts';
import { ExperimentFold, VIEW_TOPICS, VIEW_TYPES, type ExperimentView } from '@whale/experiment-view';
import { wanted } from '../log/experiments.ts';
import { LogTail, type TailOptions } from '../log/tail.ts';
import type { Display } from './display.ts';
import { Silence } from './silence.ts';

const FRAME_MS = 200;
const TYPES = new Set([...VIEW_TYPES, WeightUpdateFailed.type]);

/** Follows one experiment on the log into its view. */
export class Follower {
  readonly #tail: LogTail;
  readonly #fold: ExperimentFold;

  constructor(experimentId: string, source: Pick<TailOptions, 'log' | 'blobs' | 'onTrouble'>) {
    this.#fold = new ExperimentFold(experimentId);
    this.#tail = new LogTail({ ...source, topics: VIEW_TOPICS, wants: wanted(TYPES, experimentId) });
  }

  /** What was appended since the last call: new events, already in the view. */
  async catchUp(): Promise<AnyEvent[]> {
    const events: AnyEvent[] = [];
    for (const seen of await this.#tail.next()) {
      if (this.#fold.take(seen) || seen.event.type === WeightUpdateFailed.type) events.push(seen.event);
    }
    return events;
  }

  view(): ExperimentView {
    return this.#fold.view();
  }

  /** Shows the experiment until it has ended or `stopped` says so. */
  async show(display: Display, stopped: () => boolean): Promise<ExperimentView> {
    const silence = new Silence(Date.now());
    for (;;) {
      const events = await this.catchUp();
      const view = this.view();
      display.update(events, view);
      if (events.length > 0) silence.heard(Date.now());
      const told = silence.due(Date.now());
      if (told !== null) display.trouble(told);
      if (view.result !== null || stopped()) return view;
      await sleep(FRAME_MS);
    }
  }
}
