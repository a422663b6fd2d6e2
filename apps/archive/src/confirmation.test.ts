import type { HarnessScored, IncumbentChanged } from '@whale/contracts';
import { canonicalHash } from '@whale/kernel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ArchiveInput, ArchiveOutput } from './events.ts';
import { confirmationOpened, decided, freshVerdicts, startedWithConfirmation } from './support/confirmation.ts';
import { feed, harnessIdOf, opened, right, verdicts, type Candidate } from './support/search.ts';

const h0: Candidate = { iteration: 0, index: 0, of: 1, outcomes: right(1) };
const lucky: Candidate = { iteration: 1, index: 0, of: 2, outcomes: right(4) };
const second: Candidate = { iteration: 1, index: 1, of: 2, outcomes: right(3) };
const better: Candidate = { iteration: 2, index: 0, of: 1, outcomes: right(2) };
const after: Candidate = { iteration: 3, index: 0, of: 1, outcomes: right(4) };

/** lucky is refused, then better is accepted; each confirmation has its fresh rollouts. */
const schedule: ArchiveInput[] = [
  startedWithConfirmation(),
  ...[h0, lucky, second].map(opened),
  confirmationOpened(lucky, h0),
  decided(lucky, h0, false),
  opened(better),
  confirmationOpened(better, h0),
  decided(better, h0, true),
  opened(after),
];
const judged = [
  ...[h0, lucky, second, better, after].flatMap(verdicts),
  ...freshVerdicts(lucky),
  ...freshVerdicts(better),
];
const whole = [...schedule, ...judged];
const scores = (events: readonly ArchiveOutput[]) =>
  events.filter((event): event is HarnessScored => event.type === 'whale.harness.scored.v1').map(({ data }) => data);
const changes = (events: readonly ArchiveOutput[]) =>
  events
    .filter((event): event is IncumbentChanged => event.type === 'whale.incumbent.changed.v1')
    .map(({ data }) => data);

describe('A4: where winners are confirmed', () => {
  test('the incumbent changes by the decision, between the entries before it and those after it', () => {
    const { decided: events, state } = feed(whole);
    expect(scores(events).map(({ incumbent }) => incumbent)).toEqual([h0, h0, h0, h0, better].map(harnessIdOf));
    expect(changes(events)).toMatchObject([
      { iteration: 2, from: harnessIdOf(h0), to: harnessIdOf(better), scores: { from: 0.25, to: 0.5 } },
    ]);
    expect(state.incumbents).toEqual({ 'phase-1': { harnessId: harnessIdOf(better), score: 0.5 } });
  });

  test('a refused challenger stays in the archive with its search score', () => {
    const { state } = feed(whole);
    expect(state.entries.map(({ harnessId, score }) => [harnessId, score])).toContainEqual([harnessIdOf(lucky), 1]);
  });

  test('fresh rollouts enter no score and no entry, also those that come before the confirmation opens', () => {
    const fresh = [...freshVerdicts(lucky), ...freshVerdicts(better)];
    const without = feed(whole.filter((input) => !fresh.some((one) => canonicalHash(one) === canonicalHash(input))));
    const first = feed([...fresh, ...schedule, ...judged]);
    for (const run of [first, feed([...whole, ...fresh])]) {
      expect(run.decided).toEqual(without.decided);
      expect(run.state).toEqual(without.state);
      expect(run.state.facts).toEqual({});
    }
  });

  test('the order of verdicts and decisions, and what comes twice, change nothing', () => {
    const inOrder = feed(whole);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...judged, ...judged.slice(0, 9)], { minLength: judged.length + 9 }),
        fc.array(fc.nat(judged.length), { minLength: schedule.length, maxLength: schedule.length }),
        (shuffled, places) => {
          const inputs = [...shuffled] as ArchiveInput[];
          const sorted = [...places].sort((a, b) => a - b);
          schedule.forEach((input, i) => inputs.splice((sorted[i] as number) + i, 0, input));
          const { state, decided: events } = feed([...inputs, ...schedule, ...judged]);
          expect(events).toEqual(inOrder.decided);
          expect(canonicalHash(state)).toBe(canonicalHash(inOrder.state));
        },
      ),
      { numRuns: 40 },
    );
  });
});

test('without confirmation the state knows of none', () => {
  const start = startedWithConfirmation();
  const { spec } = start.data;
  const byArgmax = {
    ...start,
    data: { ...start.data, spec: { ...spec, harness: { ...spec.harness, acceptance: 'argmax' as const } } },
  };
  expect(feed([byArgmax]).state).toEqual(feed([]).state);
});
