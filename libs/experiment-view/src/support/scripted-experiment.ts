import { archiveDecider, archiveSubscriptions, type ArchiveInput, type ArchiveState } from '@whale/app-archive';
import {
  schedulerDecider,
  schedulerSubscriptions,
  type SchedulerInput,
  type SchedulerState,
} from '@whale/app-scheduler';
import {
  decodeRecord,
  encodeEvent,
  eventDefinition,
  eventId,
  experimentIdOf,
  parseSpec,
  type AnyEvent,
  type EventEnvelope,
  type Spec,
  type SpecInput,
  type WireRecord,
} from '@whale/contracts';
import { runToFixpoint } from '@whale/event-sourcing';
import { ScriptedWorld, type Script } from './scripted-world.ts';

export interface ScriptedExperiment {
  experimentId: string;
  spec: Spec;
  /** All events in the order in which they came about, one second of wall time for every ten. */
  events: EventEnvelope[];
  /** The same as they lie on the log. */
  records: WireRecord[];
  /** Harness sources by id, h₀ included: what the blob store would hold. */
  sources: ReadonlyMap<string, string>;
  scheduler: SchedulerState;
  archive: ArchiveState;
}

export interface ScriptedOptions {
  spec?: Partial<SpecInput>;
  script?: Partial<Script>;
  /** Stops after so many events: an experiment under way. */
  stopAfter?: number;
}

const INPUTS_OF_SCHEDULER = new Set<string>([
  'whale.experiment.started.v1',
  ...schedulerSubscriptions.consumes.map(({ type }) => type).filter((type) => type !== 'whale.experiment.submitted.v1'),
]);
const INPUTS_OF_ARCHIVE = new Set<string>(archiveSubscriptions.consumes.map(({ type }) => type));

const BASE_SPEC: SpecInput = {
  name: 'scripted',
  domain: { name: 'search-qa', dataset: 'atlas' },
  strategy: { kind: 'fixed', cycles: 2, weight: { epochs: 1 }, harness: { iterations: 2 } },
  weight: { promptsPerStep: 4, rolloutsPerPrompt: 4 },
  harness: { candidates: 3 },
  evaluation: { rolloutsPerTask: 4, validationRolloutsPerTask: 2 },
};

/**
 * A whole experiment without services: the real scheduler and archive decide, a script answers for rollout, verifier,
 * trainer and proposer. Deterministic. For tests of whatever reads events.
 */
export async function scriptedExperiment(options: ScriptedOptions = {}): Promise<ScriptedExperiment> {
  const spec = parseSpec({ ...BASE_SPEC, ...options.spec }, 'scripted.yaml');
  const experimentId = experimentIdOf(spec);
  const world = new ScriptedWorld(experimentId, spec, options.script);
  let scheduler = schedulerDecider.initial;
  let archive = archiveDecider.initial;
  const happened: AnyEvent[] = [];
  const queue: AnyEvent[] = [{ type: 'whale.experiment.submitted.v1', data: { experimentId, spec } }, world.started()];
  for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
    happened.push(event);
    if (options.stopAfter !== undefined && happened.length >= options.stopAfter) break;
    if (INPUTS_OF_SCHEDULER.has(event.type)) {
      const step = runToFixpoint(schedulerDecider, scheduler, event as SchedulerInput);
      scheduler = step.state;
      queue.push(...step.events);
    }
    if (INPUTS_OF_ARCHIVE.has(event.type)) {
      const step = runToFixpoint(archiveDecider, archive, event as ArchiveInput);
      archive = step.state;
      queue.push(...step.events);
    }
    queue.push(...world.answers(event));
  }
  const records = happened.map((event, i) =>
    encodeEvent(event, { source: 'whale/scripted', time: Date.UTC(2026, 0, 1) + i * 100, correlationId: experimentId }),
  );
  const events = await Promise.all(
    records.map((record) => decodeRecord(record, () => Promise.reject(new Error('inline')))),
  );
  return { experimentId, spec, events, records, sources: world.sources, scheduler, archive };
}

/** The envelope id that an event will get. */
export function idOf(event: AnyEvent): string {
  const definition = eventDefinition(event.type);
  if (!definition) throw new Error(`no event is called ${event.type}`);
  return eventId(definition, event.data);
}
