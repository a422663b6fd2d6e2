import { CustomChart, GraphChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkAreaComponent } from 'echarts/components';
import { init, use, type EChartsCoreOption } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { escapeHtml, Html } from './html.ts';

use([CustomChart, GraphChart, LineChart, GridComponent, LegendComponent, MarkAreaComponent, SVGRenderer]);

/** Colours are variables of the page's style, so that one drawing serves light and dark. */
export const INK = 'var(--ink)';
export const MUTED = 'var(--muted)';
export const LINE = 'var(--line)';
export const COLOURS = { weight: 'var(--weight)', harness: 'var(--harness)', good: 'var(--good)', base: 'var(--base)' };
export const SHADES = { weight: 'var(--weight-shade)', harness: 'var(--harness-shade)' };

export interface Chart {
  id: string;
  /** What a reader who cannot see it is told. */
  label: string;
  width: number;
  height: number;
  option: EChartsCoreOption;
  /** Text for each datum, by series and place: shown on hover. */
  hints: readonly (readonly string[])[];
}

/**
 * Drawn by ECharts on the server side: an SVG of some KB in the page instead of a library of a megabyte. Data carry
 * their hint as an attribute, shown by a few lines of script (hints.ts); without scripts the drawing stands all the same.
 */
export function renderChart({ id, label, width, height, option, hints }: Chart): Html {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { color: INK, fontFamily: 'inherit' }, ...option });
    const svg = chart.renderToSVGString();
    const role = `<svg id="chart-${id}" role="img" aria-label="${escapeHtml(label)}"`;
    const plain = svg
      .replace(/^<svg/, role)
      .replace(/ width="\d+" height="\d+"/, '')
      .replace(/<style ?>[\s\S]*?<\/style>/g, '')
      .replace(/ class="zr[^"]*"/g, '');
    return new Html(plain.replace(MARK, (tag: string) => withHint(tag, hints)));
  } finally {
    chart.dispose();
  }
}

/** An element that ECharts marks as a datum. */
const MARK = /<\w+ [^>]*ecmeta_[^>]*>/g;

/** The marks of ECharts give way to the hint. Edges and areas have none: they are silent or unfilled. */
function withHint(tag: string, hints: Chart['hints']): string {
  const number = (name: string) => Number(new RegExp(`ecmeta_${name}="(\\d+)"`).exec(tag)?.[1] ?? NaN);
  const hint = hints[number('series_index')]?.[number('data_index')];
  const bare = tag.replace(/ ecmeta_\w+="[^"]*"/g, '');
  if (hint === undefined || tag.includes('ecmeta_silent') || tag.includes('fill="none"')) return bare;
  return bare.replace(/>$/, ` data-hint="${escapeHtml(hint)}">`);
}

export const percentAxis = {
  type: 'value',
  axisLabel: { color: MUTED, formatter: (value: number) => `${Math.round(100 * value)}%` },
  axisLine: { show: false },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: LINE } },
  nameTextStyle: { color: MUTED, align: 'left' },
} as const;

export const numberAxis = {
  type: 'value',
  axisLabel: { color: MUTED },
  axisLine: { lineStyle: { color: LINE } },
  splitLine: { show: false },
  nameLocation: 'middle',
  nameGap: 28,
  nameTextStyle: { color: MUTED },
} as const;
