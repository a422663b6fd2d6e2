import { beforeAll, expect, test } from 'vitest';
import { viewOf, type ExperimentView } from '@whale/experiment-view';
import { scriptedExperiment, type ScriptedExperiment } from '@whale/experiment-view/support';
import { milestone } from '../run/milestones.ts';
import { progressOf } from '../run/progress.ts';
import { comparison, searchText } from './search.ts';

let confirmed: ScriptedExperiment;
let strict: ScriptedExperiment;
let argmax: ScriptedExperiment;
beforeAll(async () => {
  const harness = { candidates: 3, acceptance: 'confirm', confirm: { rolloutsPerTask: 2, level: 0.5 } } as const;
  confirmed = await scriptedExperiment({ spec: { harness } });
  strict = await scriptedExperiment({
    spec: { harness: { ...harness, confirm: { rolloutsPerTask: 1, level: 0.05 } } },
  });
  argmax = await scriptedExperiment();
});
const view = ({ experimentId, events }: ScriptedExperiment): ExperimentView => viewOf(experimentId, events);

test('a search says what it confirmed and what chance would have brought, in 80 columns', () => {
  const text = searchText(view(confirmed));
  const { acceptances } = view(confirmed);
  const accepted = acceptances.filter(({ decision }) => decision?.accepted).length;
  expect(text).toContain(`confirmed ${accepted} of ${acceptances.length} apparent winner`);
  expect(text).toMatch(/\n {10}\d+\.\d% against \d+\.\d%, [+−]\d+\.\d \[.*\] on 10 tasks, p = [01]\.\d{3}\n/);
  expect(text).toMatch(/\n {10}\d+(–\d+)?% by arg max, \d+(–\d+)?% by confirmation$/);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('by arg max there is only what chance would have brought; with a level below 0.5 it is a bound', () => {
  expect(searchText(view(argmax))).toMatch(/^noise {5}a search of identical candidates \(A\/A\)/);
  expect(searchText(view(strict))).toMatch(/by arg max, at most \d+(–\d+)?% by confirmation$/);
});

test('before any search there is nothing to say', () => {
  expect(searchText(viewOf(argmax.experimentId, argmax.events.slice(0, 50)))).toBe('');
});

test('each decision has its line in a run, and so has what is being confirmed', () => {
  const whole = view(confirmed);
  const lines = confirmed.events.flatMap(({ event }) => milestone(event, whole)?.text ?? []);
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const accepted = whole.acceptances.filter(({ decision }) => decision?.accepted).length;
  expect(count(/^✓ confirmed [0-9a-f]{8} on fresh rollouts: .* p = /)).toBe(accepted);
  expect(count(/^· not confirmed [0-9a-f]{8} \(not-better\) on fresh rollouts: /)).toBe(
    whole.acceptances.length - accepted,
  );
  expect(count(/^[0-9a-f]{8} is the apparent winner: 40 fresh rollouts to confirm it$/)).toBe(whole.acceptances.length);

  const at = confirmed.events.findIndex(({ event }) => event.type === 'whale.confirmation.opened.v1');
  const during = viewOf(confirmed.experimentId, confirmed.events.slice(0, at + 1));
  expect(progressOf(during).detail).toMatch(/^iteration \d+: confirming the apparent winner$/);
});

test('nothing measured is said as such', () => {
  const decision = view(confirmed).acceptances[0]?.decision;
  if (!decision) throw new Error('no decision');
  const paired = { tasks: 0, better: 0, worse: 0, equal: 0, mean: null, low: null, high: null, p: null };
  expect(comparison({ ...decision, paired })).toBe('no fresh rollout of both could be measured');
});
