import { describe, expect, it } from 'vitest';
import { viewOf } from '@whale/experiment-view';
import { scriptedExperiment } from '@whale/experiment-view/support';
import { renderChart, type Chart } from './chart.ts';
import { accuracyChart, archiveChart, rewardChart } from './charts.ts';

describe('charts', () => {
  const drawn = async (stopAfter?: number) => {
    const { experimentId, events } = await scriptedExperiment(stopAfter === undefined ? {} : { stopAfter });
    const view = viewOf(experimentId, events);
    return { view, charts: [accuracyChart(view), rewardChart(view), archiveChart(view)] };
  };

  it('mark each datum with what it says', async () => {
    const { view, charts } = await drawn();
    for (const chart of charts) {
      const svg = renderChart(chart as Chart).text;
      const hints = svg.match(/data-hint="/g)?.length ?? 0;
      expect(hints).toBe(chart?.hints.flat().length);
      expect(svg).not.toMatch(/ecmeta|<style|https?:\/\/(?!www\.w3\.org)/);
    }
    expect(charts[1]?.hints.flat()).toHaveLength(view.phases.flatMap((phase) => phase.steps).length);
    expect(charts[2]?.hints.flat()).toHaveLength(view.archive.length);
  });

  it('take their colours from the style of the page, for light and dark', async () => {
    for (const chart of (await drawn()).charts) {
      const svg = renderChart(chart as Chart).text;
      const fixed = svg.match(/(?:fill|stroke)="(?!var|none|rgb\(0,0,0\))[^"]+"/g) ?? [];
      // Strokes of no width and fills of open lines are left as ECharts writes them.
      expect(fixed.filter((colour) => !/#000|#b7b9be/.test(colour))).toEqual([]);
    }
  });

  it('are left out while there is nothing to draw', async () => {
    const { charts } = await drawn(3);
    expect(charts).toEqual([null, null, null]);
  });
});
