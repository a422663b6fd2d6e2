import { archiveDecider, archiveSubscriptions, type ArchiveInput, type ArchiveState } from '@whale/app-archive';
import {
  eventDefinition,
  eventId,
  type AnyEvent,
  type EventDefinition,
  type ExperimentStarted,
} from '@whale/contracts';
import { runToFixpoint } from '@whale/event-sourcing';
import { canonicalJson, rng } from '@whale/kernel';
import { schedulerDecider } from '../decider.ts';
import type { SchedulerInput, SchedulerOutput } from '../events.ts';
import type { SchedulerState } from '../state.ts';
import { subscriptions } from '../subscriptions.ts';
import { answer, type WorldOptions } from './scripted-world.ts';

const SCHEDULER_INPUTS = new Set<string>([
  'whale.experiment.started.v1',
  ...subscriptions.consumes.map(({ type }) => type),
]);
const ARCHIVE_INPUTS = new Set<string>(archiveSubscriptions.consumes.map(({ type }) => type));

export interface ScriptedRun {
  /** What the scheduler heard, in the order in which it heard it. */
  inputs: SchedulerInput[];
  archiveInputs: ArchiveInput[];
  decided: SchedulerOutput[];
  scheduler: SchedulerState;
  archive: ArchiveState;
}

export interface RunOptions {
  world?: WorldOptions;
  /** Names one interleaving of everything that happens at the same time. */
  order?: string;
  /** Asked before each step; an event that it returns is heard by the scheduler next. */
  interrupt?: (decided: readonly SchedulerOutput[]) => SchedulerInput | undefined;
}

/**
 * A whole experiment, scheduler and archive against the scripted world. Whatever may happen next in a real run is
 * chosen by chance: an answer comes onto the log, or a service reads the next record of one of its topics.
 */
export function scriptedRun(
  start: ExperimentStarted,
  { world, order = 'order', interrupt }: RunOptions = {},
): ScriptedRun {
  const random = rng(order);
  const scheduler = new Reader<SchedulerInput>(SCHEDULER_INPUTS);
  const archive = new Reader<ArchiveInput>(ARCHIVE_INPUTS);
  const underWay: AnyEvent[][] = [[start]];
  const run: ScriptedRun = {
    inputs: [],
    archiveInputs: [],
    decided: [],
    scheduler: schedulerDecider.initial,
    archive: archiveDecider.initial,
  };
  const publish = (event: AnyEvent) => {
    scheduler.append(event);
    archive.append(event);
    const answers = answer(event, world);
    if (answers.length > 0) underWay.push(answers);
  };
  for (;;) {
    const interruption = interrupt?.(run.decided);
    if (interruption) publish(interruption as AnyEvent);
    const choices: (() => void)[] = [
      ...underWay.map((answers) => () => {
        publish(answers.shift() as AnyEvent);
        if (answers.length === 0) underWay.splice(underWay.indexOf(answers), 1);
      }),
      ...scheduler.ready().map((queue) => () => {
        const input = queue.shift() as SchedulerInput;
        run.inputs.push(input);
        const { state, events } = runToFixpoint(schedulerDecider, run.scheduler, input);
        run.scheduler = throughJson(state);
        run.decided.push(...events);
        for (const event of events) publish(event);
      }),
      ...archive.ready().map((queue) => () => {
        const input = queue.shift() as ArchiveInput;
        run.archiveInputs.push(input);
        const { state, events } = runToFixpoint(archiveDecider, run.archive, input);
        run.archive = throughJson(state);
        for (const event of events) publish(event);
      }),
    ];
    if (choices.length === 0) return run;
    random.pick(choices)();
  }
}

/** Feeds inputs in the order given. The state goes through JSON after each, as it does between two batches. */
export function replay(inputs: readonly SchedulerInput[]): { state: SchedulerState; decided: SchedulerOutput[] } {
  let state = schedulerDecider.initial;
  const decided: SchedulerOutput[] = [];
  for (const input of inputs) {
    const result = runToFixpoint(schedulerDecider, state, input);
    state = throughJson(result.state);
    decided.push(...result.events);
  }
  return { state, decided };
}

export function throughJson<State>(state: State): State {
  return JSON.parse(JSON.stringify(state)) as State;
}

/** `<topic>/<key>`: the log keeps the order of records within it. */
export function streamOf(event: AnyEvent): string {
  const definition = eventDefinition(event.type) as EventDefinition;
  return `${definition.topic}/${definition.key(event.data as never)}`;
}

export function idOf(event: AnyEvent): string {
  return eventId(eventDefinition(event.type) as EventDefinition, event.data);
}

/** What was decided, as the log has it: the records of each key in their order. */
export function asStreams(events: readonly AnyEvent[]): Record<string, string[]> {
  const streams: Record<string, string[]> = {};
  for (const event of events) (streams[streamOf(event)] ??= []).push(`${idOf(event)} ${canonicalJson(event.data)}`);
  return streams;
}

/** Another order of the same events that keeps the order within each topic and key. */
export function interleave<Event extends AnyEvent>(events: readonly Event[], order: string): Event[] {
  const random = rng(order);
  const queues = new Map<string, Event[]>();
  for (const event of events) queues.set(streamOf(event), [...(queues.get(streamOf(event)) ?? []), event]);
  // One place in the new order for each event, then each place takes the next event of its stream.
  return random.shuffle(events.map(streamOf)).map((stream) => queues.get(stream)?.shift() as Event);
}

/** A service's view of the log: a queue for each topic and key that it has not read to the end. */
class Reader<Input> {
  readonly #types: ReadonlySet<string>;
  readonly #queues = new Map<string, Input[]>();

  constructor(types: ReadonlySet<string>) {
    this.#types = types;
  }

  append(event: AnyEvent): void {
    if (!this.#types.has(event.type)) return;
    const stream = streamOf(event);
    this.#queues.set(stream, [...(this.#queues.get(stream) ?? []), event as Input]);
  }

  ready(): Input[][] {
    return [...this.#queues.values()].filter((queue) => queue.length > 0);
  }
}

/** The events of one type, typed. */
export function ofType<Type extends AnyEvent['type']>(
  events: readonly AnyEvent[],
  type: Type,
): Extract<AnyEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AnyEvent, { type: Type }> => event.type === type);
}
