import type { DomainEvent } from '@whale/contracts';
import { runToFixpoint, type Decider } from '@whale/event-sourcing';
import type { Delivery, Reaction } from './transport/on-event.ts';

/** One state document per experiment. */
export function stateKey(experimentId: string): string {
  return `state/${experimentId}`;
}

/** Feeds one input to a decider whose state is a document; the reaction writes state and events together. */
export async function followDecider<State, Input extends DomainEvent, Output extends DomainEvent>(
  decider: Decider<State, Input, Output>,
  input: Input,
  delivery: Delivery,
): Promise<Reaction> {
  const key = stateKey((input.data as { experimentId: string }).experimentId);
  const before = ((await delivery.document(key)) as State | undefined) ?? decider.initial;
  const { state, events } = runToFixpoint(decider, before, input);
  if (state === before) return {};
  return { events, documents: new Map([[key, state]]) };
}
