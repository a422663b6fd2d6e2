import { TOPICS, type EventEnvelope, type TopicName } from '@whale/contracts';
import { canonicalHash } from '@whale/kernel';
import { beforeAll, expect, test } from 'vitest';
import { scriptedExperiment, type ScriptedExperiment } from '@whale/experiment-view/support';
import type { LiveState } from './live-state.ts';
import type { LoggedEvent } from './logged-events.ts';
import { rebuildService } from './rebuild-service.ts';
import { REBUILDABLE, type Rebuildable } from './rebuildable.ts';

const [scheduler, archive] = REBUILDABLE as [Rebuildable, Rebuildable];
const DELETED: LiveState = { deleted: true, checkpoints: [], document: undefined, outbox: [] };

let experiment: ScriptedExperiment;
let logged: LoggedEvent[];
beforeAll(async () => {
  experiment = await scriptedExperiment({ script: { infrastructure: 0.1 } });
  logged = experiment.events.map(onLog);
});

/** One partition a topic. */
function onLog(seen: EventEnvelope, offset: number): LoggedEvent {
  const topic = experiment.records[offset]?.topic as string;
  return { topic, partition: 0, offset, id: seen.id, experimentId: experiment.experimentId, event: seen.event };
}

const heads = () => (Object.keys(TOPICS) as TopicName[]).map((topic) => ({ topic, partition: 0, offset: 1_000_000 }));
const live = (document: unknown, checkpoints = heads()): LiveState => ({
  deleted: false,
  checkpoints,
  document,
  outbox: [],
});
const rebuildOf = (service: Rebuildable, state: LiveState, events = logged) =>
  rebuildService(service, state, events, heads(), experiment.experimentId);

test('the live state of scheduler and archive follows from the log', () => {
  for (const [service, state] of [
    [scheduler, experiment.scheduler],
    [archive, experiment.archive],
  ] as const) {
    const { parts, disagreements, restored } = rebuildOf(service, live(state));
    expect(parts[0]).toMatchObject({ part: service.name, rebuilt: canonicalHash(state), equal: true });
    expect(disagreements).toEqual([]);
    expect(restored).toBeNull();
  }
});

test('B3: decisions that were lost with the outbox are published again when the store was deleted', () => {
  const lost = logged.filter(({ event }) => event.type === 'whale.rollout.requested.v1').slice(-2);
  const rest = logged.filter((event) => !lost.includes(event));
  const { restored, disagreements } = rebuildOf(scheduler, DELETED, rest);
  expect(disagreements).toEqual([]);
  expect(restored?.whole?.unpublished).toEqual(lost.map(({ event }) => event));
  expect(restored?.whole?.inbox).not.toContain(lost[0]?.id);
});

test('B1: where the store is there, decisions that the log lacks are reported; the outbox counts', () => {
  const [lost] = logged.filter(({ event }) => event.type === 'whale.rollout.requested.v1').slice(-1) as [LoggedEvent];
  const rest = logged.filter((event) => event !== lost);
  expect(rebuildOf(scheduler, live(experiment.scheduler), rest).disagreements).toEqual([
    expect.stringMatching(/^whale\.rollout\.requested\.v1 of rollout-[0-9a-f]+ follows from the log and is not on it$/),
  ]);
  const waiting = { ...live(experiment.scheduler), outbox: [lost] };
  expect(rebuildOf(scheduler, waiting, rest).disagreements).toEqual([]);
});

test('B2: a live state is compared at its own checkpoints', () => {
  // Nothing of the verdicts has been heard: what follows is an experiment that waits for its first evaluation.
  const checkpoints = heads().filter(({ topic }) => topic !== 'whale.verdicts.v1');
  const early = logged.filter(({ event }) => !scheduler.subscriptions.emits.some(({ type }) => type === event.type));
  const started = logged.filter(({ event }) => event.type === 'whale.experiment.started.v1');
  const { parts } = rebuildOf(scheduler, live(null, checkpoints), [...early, ...started]);
  expect(parts[0]?.rebuilt).not.toBe(canonicalHash(experiment.scheduler));
  expect(parts[0]?.differences.join()).toContain('rebuilt');
});

test('B3: a submission that nobody has answered is left for the scheduler itself', () => {
  const [submitted] = logged.filter(({ event }) => event.type === 'whale.experiment.submitted.v1') as [LoggedEvent];
  const { restored } = rebuildOf(scheduler, DELETED, [submitted]);
  expect(restored?.states.size).toBe(0);
  expect(restored?.whole?.inbox).toEqual([]);
  const at = restored?.whole?.checkpoints.find(({ topic }) => topic === 'whale.experiments.v1');
  expect(at?.offset).toBe(submitted.offset);
});
