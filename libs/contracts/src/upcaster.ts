import type { z } from 'zod';
import type { EventDefinition } from './event-definition.ts';

/** Leads the data of one version of an event to the next version. */
export interface Upcaster {
  readonly from: EventDefinition;
  readonly to: EventDefinition;
  readonly upcast: (data: unknown) => unknown;
}

/**
 * `upcast` is pure. What the old version did not record is null in the new one, never an invented value; what follows
 * from the old data is filled in.
 */
export function defineUpcaster<
  FromType extends string,
  From extends z.ZodType,
  ToType extends string,
  To extends z.ZodType,
>(
  from: EventDefinition<FromType, From>,
  to: EventDefinition<ToType, To>,
  upcast: (data: z.output<From>) => z.output<To>,
): Upcaster {
  return {
    from: from as unknown as EventDefinition,
    to: to as unknown as EventDefinition,
    upcast: upcast as (data: unknown) => unknown,
  };
}
