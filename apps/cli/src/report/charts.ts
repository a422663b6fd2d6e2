import type { Estimate } from '@whale/contracts';
import { pairOf, type ArchiveEntryView, type ExperimentView, type PhaseView } from '@whale/experiment-view';
import { accuracy, count, percent, shortId } from '../print/text.ts';
import { COLOURS, INK, MUTED, numberAxis, percentAxis, SHADES, type Chart } from './chart.ts';

const WIDTH = 960;

interface Point {
  rollouts: number;
  when: string;
  test: Estimate | null;
  validation: Estimate | null;
}

/** Accuracy of the pair at the beginning and at the end of each phase, over the rollouts spent until then. */
export function accuracyChart(view: ExperimentView): Chart | null {
  const points = accuracyPoints(view);
  if (points.every((point) => !point.test && !point.validation)) return null;
  const test = points.flatMap((point) => (point.test ? [{ ...point, estimate: point.test }] : []));
  const validation = points.flatMap((point) => (point.validation ? [{ ...point, estimate: point.validation }] : []));
  const hint = (split: string) => (point: { when: string; rollouts: number; estimate: Estimate }) =>
    `${split}: ${accuracy(point.estimate)}\n${point.when}\n${count(point.rollouts)} training rollouts`;
  const line = (name: string, data: typeof test, colour: string, dashed: boolean) => ({
    name,
    type: 'line',
    data: data.map(({ rollouts, estimate }) => [rollouts, estimate.mean]),
    symbol: 'circle',
    symbolSize: 9,
    itemStyle: { color: colour },
    lineStyle: { color: colour, width: 2, type: dashed ? 'dashed' : 'solid' },
  });
  return {
    id: 'accuracy',
    label: 'Accuracy on test and validation over the rollouts spent, with weight and harness phases shaded',
    width: WIDTH,
    height: 400,
    option: {
      grid: { left: 56, right: 24, top: 56, bottom: 48 },
      legend: { top: 0, left: 0, textStyle: { color: INK }, data: ['test', 'validation'] },
      xAxis: { ...numberAxis, name: 'weight and harness rollouts', min: 0, max: 'dataMax' },
      yAxis: {
        ...percentAxis,
        min: 0,
        max: (value: { max: number }) => Math.min(1, Math.ceil(10 * value.max + 0.5) / 10),
      },
      series: [
        { ...line('test', test, COLOURS.good, false), markArea: phaseAreas(view.phases), z: 3 },
        { ...line('validation', validation, COLOURS.base, true), z: 2 },
        intervals(test, COLOURS.good),
        intervals(validation, COLOURS.base),
      ],
    },
    hints: [test.map(hint('test')), validation.map(hint('validation'))],
  };
}

function accuracyPoints(view: ExperimentView): Point[] {
  const [base] = view.pairs;
  if (!base) return [];
  const points: Point[] = [{ rollouts: 0, when: 'the base pair', test: base.test, validation: base.validation }];
  for (const phase of view.phases) {
    const pair = phase.end && pairOf(view, phase.end);
    if (!pair) continue;
    const when = `after the ${phase.kind} phase of cycle ${phase.cycle}`;
    points.push({ rollouts: phase.rolloutsTo, when, test: pair.test, validation: pair.validation });
  }
  return points;
}

function phaseAreas(phases: readonly PhaseView[]) {
  return {
    silent: true,
    data: phases.map((phase) => [
      {
        name: `${phase.kind} ${phase.cycle}`,
        xAxis: phase.rolloutsFrom,
        itemStyle: { color: SHADES[phase.kind] },
        label: { color: COLOURS[phase.kind], position: 'insideTop', fontSize: 11 },
      },
      { xAxis: phase.rolloutsTo },
    ]),
  };
}

/** 95% intervals as whiskers. */
function intervals(points: readonly { rollouts: number; estimate: Estimate }[], colour: string) {
  interface Api {
    value(dimension: number): number;
    coord(point: [number, number]): [number, number];
  }
  return {
    type: 'custom',
    silent: true,
    data: points.map(({ rollouts, estimate }) => [rollouts, estimate.mean, estimate.low, estimate.high]),
    encode: { x: 0, y: [2, 3] },
    z: 4,
    renderItem: (_params: unknown, api: Api) => {
      const [x, low] = api.coord([api.value(0), api.value(2)]);
      const [, high] = api.coord([api.value(0), api.value(3)]);
      const bar = (x1: number, y1: number, x2: number, y2: number) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: { stroke: colour, lineWidth: 1.5 },
      });
      return {
        type: 'group',
        children: [bar(x, low, x, high), bar(x - 5, low, x + 5, low), bar(x - 5, high, x + 5, high)],
      };
    },
  };
}

/** Mean verifier reward of each weight step. */
export function rewardChart(view: ExperimentView): Chart | null {
  const steps = view.phases.flatMap((phase) =>
    phase.steps.flatMap((step) => (step.reward === null ? [] : [{ ...step, reward: step.reward, cycle: phase.cycle }])),
  );
  if (steps.length === 0) return null;
  const cycles = [...new Set(steps.map((step) => step.cycle))];
  const areas = cycles.map((cycle) => {
    const numbers = steps.filter((step) => step.cycle === cycle).map((step) => step.step);
    const label = { color: COLOURS.weight, position: 'insideTopLeft', fontSize: 11 };
    const from = {
      name: `cycle ${cycle}`,
      xAxis: Math.min(...numbers) - 0.45,
      itemStyle: { color: SHADES.weight },
      label,
    };
    return [from, { xAxis: Math.max(...numbers) + 0.45 }];
  });
  return {
    id: 'reward',
    label: 'Mean verifier reward of each weight step',
    width: WIDTH,
    height: 280,
    option: {
      grid: { left: 56, right: 24, top: 24, bottom: 48 },
      xAxis: {
        ...numberAxis,
        name: 'weight step',
        min: 0,
        max: (steps.at(-1)?.step ?? 1) + 1,
        minInterval: 1,
        axisLabel: { color: MUTED, showMinLabel: false, showMaxLabel: false },
      },
      yAxis: { ...percentAxis, min: 0 },
      series: [
        {
          type: 'line',
          data: steps.map((step) => [step.step, step.reward]),
          symbol: 'circle',
          symbolSize: 9,
          itemStyle: { color: COLOURS.weight },
          lineStyle: { color: COLOURS.weight, width: 2 },
          markArea: { silent: true, data: areas },
        },
      ],
    },
    hints: [
      steps.map(({ step, reward, accepted, asked, loss, weights }) => {
        const trained = loss === null ? 'nothing trained' : `loss ${loss.toFixed(3)}`;
        return `step ${step}: reward ${percent(reward)}\n${accepted ?? 0} of ${asked} rollouts accepted\n${trained}, now ${weights ?? '–'}`;
      }),
    ],
  };
}

/** Parents and candidates of every harness phase: across by iteration, up by score on the harness split. */
export function archiveChart(view: ExperimentView): Chart | null {
  const entries = view.archive.filter((entry) => entry.score !== null);
  if (entries.length === 0) return null;
  const columns = new Map<string, number>();
  const labels: string[] = [];
  let lastPhase = '';
  for (const { phaseId, iteration, cycle } of entries) {
    const key = `${phaseId}/${iteration}`;
    if (columns.has(key)) continue;
    if (lastPhase !== '' && lastPhase !== phaseId) labels.push('');
    lastPhase = phaseId;
    columns.set(key, labels.length);
    labels.push(iteration === 0 ? `start of\ncycle ${cycle}` : String(iteration));
  }
  const x = ({ phaseId, iteration, index, of }: ArchiveEntryView) =>
    (columns.get(`${phaseId}/${iteration}`) ?? 0) + (of > 1 ? (index / (of - 1) - 0.5) * 0.6 : 0);
  return {
    id: 'archive',
    label: 'Harnesses by iteration and score, each linked to its parent; accepted ones are filled',
    width: WIDTH,
    height: 400,
    option: {
      grid: { left: 56, right: 24, top: 24, bottom: 60 },
      xAxis: {
        ...numberAxis,
        name: 'iteration of the harness phase',
        nameGap: 40,
        min: -1,
        max: labels.length,
        interval: 1,
        axisLabel: {
          color: MUTED,
          formatter: (value: number) => labels[value] ?? '',
          showMinLabel: false,
          showMaxLabel: false,
        },
      },
      yAxis: { ...percentAxis, scale: true },
      series: [
        {
          type: 'graph',
          coordinateSystem: 'cartesian2d',
          layout: 'none',
          edgeSymbol: ['none', 'none'],
          data: entries.map((entry) => ({ value: [x(entry), entry.score], ...nodeStyle(entry) })),
          links: entries.flatMap((entry, i) => {
            const source = parentOf(entries, i);
            if (source < 0) return [];
            const again = entry.iteration === 0;
            const colour = entry.accepted ? COLOURS.good : MUTED;
            return [
              {
                source,
                target: i,
                lineStyle: {
                  color: colour,
                  width: entry.accepted ? 2 : 1,
                  type: again ? 'dashed' : 'solid',
                  opacity: entry.accepted || again ? 1 : 0.35,
                  curveness: 0,
                },
              },
            ];
          }),
        },
      ],
    },
    hints: [entries.map(entryHint)],
  };
}

function nodeStyle(entry: ArchiveEntryView) {
  const label = { show: true, position: 'top', color: INK, formatter: percent(entry.score ?? 0), fontSize: 11 };
  if (entry.iteration === 0) {
    return { symbol: 'diamond', symbolSize: 15, itemStyle: { color: COLOURS.base }, label };
  }
  if (entry.accepted) return { symbol: 'circle', symbolSize: 15, itemStyle: { color: COLOURS.good }, label };
  const itemStyle = { color: 'var(--page)', borderColor: COLOURS.harness, borderWidth: 1.5 };
  return { symbol: 'circle', symbolSize: 10, itemStyle, label: { show: false } };
}

/** The parent's last measurement before this one; −1 without. A phase's first harness hangs on its earlier self. */
function parentOf(entries: readonly ArchiveEntryView[], i: number): number {
  const entry = entries[i] as ArchiveEntryView;
  const wanted = entry.iteration === 0 ? entry.harness : entry.parent;
  for (let j = i - 1; j >= 0; j--) if (entries[j]?.harness === wanted) return j;
  return -1;
}

function entryHint(entry: ArchiveEntryView): string {
  const { harness, score, correct, measured, weights, accepted, iteration, hypothesis, changes } = entry;
  const role = iteration === 0 ? 'the harness the phase began with' : accepted ? 'accepted' : 'not accepted';
  const lines = [`${shortId(harness)} under ${weights}: ${percent(score ?? 0)} (${correct} of ${measured})`, role];
  if (hypothesis !== '') lines.push(hypothesis);
  if (changes.length > 0) lines.push(changes.join('; '));
  return lines.join('\n');
}
