import type { AnyEvent, DomainEvent, EventDefinition, EventOf } from '@whale/contracts';
import type { Change, Columns, Migration, ReadTable } from './read-table.ts';

/**
 * One table of a service's read model and how events fill it. `project` is pure, and no two types of event set the same
 * column unless they come from one topic, so that the rows do not depend on the order of topics.
 */
export interface Projection {
  readonly table: ReadTable;
  readonly migrations: readonly Migration[];
  readonly consumes: readonly EventDefinition[];
  project(event: AnyEvent): readonly Change[];
}

type EventsOf<Definitions extends readonly EventDefinition[]> = Extract<EventOf<Definitions[number]>, DomainEvent>;

/** Checks that `project` takes just the events that it consumes and sets just the columns that there are. */
export function projection<
  const Definitions extends readonly EventDefinition[],
  Key extends Columns,
  Rest extends Columns,
>(parts: {
  table: ReadTable<Key, Rest>;
  migrations: readonly Migration[];
  consumes: Definitions;
  project(event: EventsOf<Definitions>): readonly Change<Key, Rest>[];
}): Projection {
  return parts as unknown as Projection;
}
