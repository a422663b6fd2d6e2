import { deterministicId } from '@whale/kernel';
import type { z } from 'zod';
import type { TopicName } from './topics.ts';

/**
 * One version of one event. A published version never changes; a new shape is a new version with an upcaster.
 * `identity` names what makes two events the same: the event id is a hash of type and identity, so the same decision
 * on the same inputs gives the same id and redelivery is harmless.
 */
export interface EventDefinition<Type extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly type: Type;
  readonly topic: TopicName;
  readonly data: Data;
  key(data: z.output<Data>): string;
  subject(data: z.output<Data>): string;
  identity(data: z.output<Data>): readonly (string | number)[];
  /** One sentence for people: `whale topics`, AsyncAPI. */
  readonly summary: string;
}

export function defineEvent<Type extends string, Data extends z.ZodType>(
  definition: EventDefinition<Type, Data>,
): EventDefinition<Type, Data> {
  return definition;
}

/** An event as code handles it, before it gets an envelope. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? DomainEvent<Type, z.output<Data>> : never;

/**
 * All versions of an event share its first version's ids: a decision that a later release makes again is the event that
 * an earlier one has written.
 */
export function eventId(definition: EventDefinition, data: unknown): string {
  const { name } = nameAndVersion(definition.type);
  return deterministicId('event', `${name}.v1`, ...definition.identity(data as never));
}

/** Version 0 for a type that does not end in one. */
export function nameAndVersion(type: string): { name: string; version: number } {
  const match = /^(.+)\.v([1-9]\d*)$/.exec(type);
  return { name: match?.[1] ?? type, version: Number(match?.[2] ?? 0) };
}
