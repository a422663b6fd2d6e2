import { pairOf, provisionalResult, type ExperimentView } from '@whale/experiment-view';
import { scheduleOf } from '@whale/schedules';
import { bar, sparkline } from '../print/bars.ts';
import type { Paint } from '../print/paint.ts';
import { count, duration, elapsed, oneLine, percent, plural, shortId } from '../print/text.ts';
import { progressOf, type Pace } from './progress.ts';

type Tone = 'plain' | 'bold' | 'dim' | 'green' | 'cyan' | 'magenta' | 'yellow';
type Span = readonly [text: string, tone: Tone];

export interface FrameInput {
  view: ExperimentView;
  pace: Pace;
  /** ms since epoch; `startedAt` is when the command began. */
  now: number;
  startedAt: number;
  columns: number;
  rows: number;
  paint: Paint;
}

/** What the live display shows at one moment: lines that each fit the width, fewer where the terminal is low. */
export function frame(input: FrameInput): string[] {
  const lines = [
    headline(input),
    progress(input),
    rewards(input),
    archive(input),
    test(input),
    rollouts(input),
    tokens(input),
  ];
  const present = lines.filter((line) => line.length > 0).slice(0, Math.max(1, input.rows - 2));
  return present.map((line) => fit(line, input.columns - 1, input.paint));
}

/** Cuts before colouring, so that no escape sequence is ever cut and no line ever wraps. */
function fit(spans: readonly Span[], width: number, paint: Paint): string {
  let left = width;
  let line = '';
  for (const [text, tone] of spans) {
    const shown = oneLineKeepingSpaces(text, left);
    left -= [...shown].length;
    line += tone === 'plain' ? shown : paint[tone](shown);
    if (left <= 0) break;
  }
  return line;
}

function oneLineKeepingSpaces(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

function headline({ view, now, startedAt }: FrameInput): Span[] {
  const strategy = view.spec?.strategy.kind ?? '';
  const time = elapsed((now - startedAt) / 1000);
  return [
    [view.experimentId, 'bold'],
    [`  ${strategy}  ${time}`, 'dim'],
  ];
}

function progress({ view, pace, now, columns }: FrameInput): Span[] {
  const at = progressOf(view);
  const schedule = view.spec && scheduleOf(view.spec.strategy);
  const cycles = schedule && 'cycles' in schedule ? schedule.cycles : 1;
  const label = at.label.replace(/^cycle (\d+)/, `cycle $1 of ${cycles}`);
  const tone: Tone = label.includes('weight') ? 'magenta' : label.includes('harness') ? 'cyan' : 'yellow';
  const spans: Span[] = [[label.padEnd(29), tone]];
  if (at.fraction !== null) {
    const left = pace.left(at, now);
    const time = left === null ? '' : `  ${at.atMost ? 'at most ' : ''}${duration(left)} left`;
    spans.push([bar(at.fraction, Math.max(6, Math.min(24, columns - 74))), tone]);
    spans.push([` ${percent(at.fraction).padStart(6)}`, 'plain'], [time, 'plain']);
  }
  if (at.detail !== '') spans.push([`  ${at.detail}`, 'dim']);
  return spans;
}

function rewards({ view, columns }: FrameInput): Span[] {
  const values = view.phases.flatMap((phase) => phase.steps.flatMap((step) => step.reward ?? []));
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    ['reward    ', 'dim'],
    [sparkline(values, Math.max(8, columns - 40)), 'magenta'],
    [`  ${first.toFixed(2)} → ${last.toFixed(2)} over ${plural(values.length, 'step')}`, 'plain'],
  ];
}

function archive({ view, columns }: FrameInput): Span[] {
  const phase = view.archive.at(-1)?.phaseId;
  const entries = view.archive.filter((entry) => entry.phaseId === phase && entry.scored);
  const last = entries.at(-1);
  if (!last) return [];
  const best = entries.find((entry) => entry.harness === last.incumbent);
  const first = entries[0];
  const accepted = entries.filter((entry) => entry.accepted).length;
  const scores = entries.flatMap((entry) => entry.score ?? []);
  return [
    ['archive   ', 'dim'],
    [sparkline(scores, Math.max(8, columns - 70)), 'cyan'],
    [`  best ${best?.score == null ? '–' : percent(best.score)} (${shortId(last.incumbent ?? '')})`, 'plain'],
    [first?.score == null ? '' : `, began at ${percent(first.score)}`, 'dim'],
    [`, ${plural(entries.length - 1, 'candidate')}, ${accepted} accepted, ${view.rejected.length} rejected`, 'dim'],
  ];
}

function test({ view, columns }: FrameInput): Span[] {
  const measured = view.pairs.flatMap((pair) => pair.test ?? []);
  if (measured.length === 0) return [];
  const { best } = provisionalResult(view);
  const chosen = best && pairOf(view, best);
  const path = measured.map((estimate) => percent(estimate.mean)).join(' → ');
  return [
    ['test      ', 'dim'],
    [oneLine(path, Math.max(10, columns - 45)), 'green'],
    [chosen?.validation ? `  best on validation ${percent(chosen.validation.mean)}` : '', 'dim'],
  ];
}

function rollouts({ view, pace, now }: FrameInput): Span[] {
  const { done, errors } = view.ledger;
  const rate = pace.rate(done.weight + done.harness + done.evaluation, now);
  return [
    ['rollouts  ', 'dim'],
    [`${count(done.weight)} weight, ${count(done.harness)} harness, ${count(done.evaluation)} evaluation`, 'plain'],
    [`  ${rate.toFixed(0)}/s`, 'bold'],
    [errors > 0 ? `  ${plural(errors, 'failed attempt')}` : '', 'yellow'],
  ];
}

function tokens({ view }: FrameInput): Span[] {
  const { sampled, trained } = view.ledger.tokens;
  return [
    ['tokens    ', 'dim'],
    [`${count(sampled)} sampled, ${count(trained)} trained`, 'plain'],
  ];
}
