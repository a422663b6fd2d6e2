import { eventDefinition, eventId, type AnyEvent, type EventDefinition } from '@whale/contracts';
import type { Position } from '@whale/event-log';
import { canonicalHash, canonicalJson } from '@whale/kernel';
import { differences } from './differences.ts';
import type { LiveState, Restored } from './live-state.ts';
import { boundOf, isWithin, type LoggedEvent } from './logged-events.ts';
import { hears, writes, type Rebuildable, type Replay } from './rebuildable.ts';
import type { PartReport } from './report.ts';

export interface RebuiltService {
  parts: PartReport[];
  /** Decisions that the log and the replay do not agree on, as sentences. */
  disagreements: string[];
  decided: number;
  /** What is to be written where the live state is missing; null where it is there. */
  restored: Restored | null;
}

/** Makes a service's decisions again and compares them with the log, and the state with the live one. */
export function rebuildService(
  service: Rebuildable,
  live: LiveState,
  logged: readonly LoggedEvent[],
  heads: readonly Position[],
  experimentId: string,
): RebuiltService {
  const checkpoints = live.deleted ? consumable(service, logged, heads) : live.checkpoints;
  const bound = boundOf(checkpoints);
  const replayOf = (id: string) => {
    const mine = logged.filter((event) => event.experimentId === id);
    const heard = mine.filter((event) => hears(service, event.event) && isWithin(event, bound));
    const own = [...mine.filter(({ event }) => writes(service, event)), ...(id === experimentId ? live.outbox : [])];
    return {
      own,
      replay: service.replay(
        heard.map(({ event }) => event),
        own,
      ),
    };
  };
  const { own, replay } = replayOf(experimentId);
  const unpublished = missing(replay.decided, own);
  const disagreements = [
    ...(live.deleted ? [] : unpublished.map((event) => `${name(event)} follows from the log and is not on it`)),
    ...disagreementsOf(replay, own),
  ];
  const parts = partsOf(service, live, replay);
  if (live.document !== undefined || (!live.deleted && replay.state === null)) {
    return { parts, disagreements, decided: replay.decided.length, restored: null };
  }

  const ids = live.deleted ? [...new Set(logged.map((event) => event.experimentId))] : [experimentId];
  const replays = ids.map((id) => [id, replayOf(id)] as const);
  const states = new Map(
    replays
      .filter(
        ([
          ,
          {
            replay: { state },
          },
        ]) => state !== null,
      )
      .map(
        ([
          id,
          {
            replay: { state },
          },
        ]) => [id, state],
      ),
  );
  if (!live.deleted) return { parts, disagreements, decided: replay.decided.length, restored: { states } };
  const inbox = logged.filter((event) => hears(service, event.event) && isWithin(event, bound)).map(({ id }) => id);
  return {
    parts,
    disagreements,
    decided: replay.decided.length,
    restored: {
      states,
      whole: { inbox, checkpoints, unpublished: replays.flatMap(([, one]) => missing(one.replay.decided, one.own)) },
    },
  };
}

/**
 * How far a service may be taken to have come that has lost its checkpoints: to the heads, but not past a submission that
 * has not been answered, since only the service itself can start an experiment.
 */
function consumable(service: Rebuildable, logged: readonly LoggedEvent[], heads: readonly Position[]): Position[] {
  const topics = new Set<string>(service.subscriptions.consumes.map(({ topic }) => topic));
  const answered = new Set(
    logged
      .filter(({ event }) => event.type === 'whale.experiment.started.v1' || event.type === 'whale.experiment.ended.v1')
      .map((event) => event.experimentId),
  );
  const open = logged.filter(
    ({ event, experimentId }) =>
      event.type === 'whale.experiment.submitted.v1' && hears(service, event) && !answered.has(experimentId),
  );
  return heads
    .filter(({ topic, offset }) => topics.has(topic) && offset > 0)
    .map((head) => {
      const first = open.filter(({ topic, partition }) => topic === head.topic && partition === head.partition);
      return { ...head, offset: Math.min(head.offset, ...first.map(({ offset }) => offset)) };
    });
}

function partsOf(service: Rebuildable, live: LiveState, { state }: Replay): PartReport[] {
  const report = (part: string, rebuilt: unknown, present: unknown): PartReport => {
    const hash = rebuilt === null ? null : canonicalHash(rebuilt);
    const liveHash = present === undefined ? null : canonicalHash(present);
    const equal = hash === liveHash;
    const restored = liveHash === null && hash !== null;
    return {
      part,
      rebuilt: hash,
      live: liveHash,
      equal,
      restored,
      differences: equal || restored ? [] : differences(present, rebuilt ?? undefined),
    };
  };
  return [
    report(service.name, state, live.document),
    ...Object.entries(service.parts).map(([part, of]) => {
      const view = (whole: unknown) => (whole === null || whole === undefined ? whole : partOf(of, whole));
      return report(part, view(state), view(live.document));
    }),
  ];
}

/** A tampered state may not even have the fields that a part is made of. */
function partOf(of: (state: never) => unknown, state: unknown): unknown {
  try {
    return of(state as never);
  } catch {
    return 'unreadable';
  }
}

function missing(decided: readonly AnyEvent[], own: readonly LoggedEvent[]): AnyEvent[] {
  const known = new Set(own.map(({ id }) => id));
  return decided.filter((event) => !known.has(idOf(event)));
}

function disagreementsOf(replay: Replay, own: readonly LoggedEvent[]): string[] {
  const made = new Map(replay.decided.map((event) => [idOf(event), canonicalJson(event.data)]));
  return own.flatMap(({ id, event }) => {
    if (event.type === 'whale.experiment.started.v1') return [];
    const again = made.get(id);
    if (again === undefined) return [`${name(event)} is on the log and does not follow from it`];
    if (again !== canonicalJson(event.data))
      return [`${name(event)} is on the log with other data than follow from it`];
    return [];
  });
}

function idOf(event: AnyEvent): string {
  return eventId(eventDefinition(event.type) as EventDefinition, event.data);
}

function name(event: AnyEvent): string {
  const definition = eventDefinition(event.type) as EventDefinition;
  return `${event.type} of ${definition.subject(event.data as never)}`;
}
