import type { DomainEvent } from '@whale/contracts';
import { expect, test } from 'vitest';
import { runToFixpoint, type Decider } from './decider.ts';

type Counted = DomainEvent<'counted', { to: number }>;
type Asked = DomainEvent<'asked', { to: number }>;

/** Counts up to what it was asked for, one event a decision. */
const counter: Decider<{ at: number; goal: number }, Asked, Counted> = {
  initial: { at: 0, goal: 0 },
  evolve: (state, event) =>
    event.type === 'asked' ? { ...state, goal: event.data.to } : { ...state, at: event.data.to },
  decide: ({ at, goal }) => (at < goal ? [{ type: 'counted', data: { to: at + 1 } }] : []),
};
const ask = (to: number): Asked => ({ type: 'asked', data: { to } });

test('an input is followed until nothing more is decided', () => {
  const { state, events } = runToFixpoint(counter, counter.initial, ask(3));
  expect(events.map((event) => event.data.to)).toEqual([1, 2, 3]);
  expect(state).toEqual({ at: 3, goal: 3 });
  expect(runToFixpoint(counter, state, ask(2)).events).toEqual([]);
});

test('the state before is left as it was', () => {
  const before = Object.freeze({ at: 0, goal: 0 });
  runToFixpoint(counter, before, ask(5));
  expect(before).toEqual({ at: 0, goal: 0 });
});

test('a decider that runs away is stopped', () => {
  expect(() => runToFixpoint(counter, counter.initial, ask(Infinity), 50)).toThrow('no fixpoint after 50 rounds');
});
