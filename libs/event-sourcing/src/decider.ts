import type { DomainEvent } from '@whale/contracts';

/**
 * A decider over facts (after Chassaing's Decider pattern). `evolve` takes inputs as well as the decider's own events:
 * an input only adds a fact, an own event moves the decider on. `decide` says which events the facts at hand allow
 * next, and nothing when it must wait. Because facts add up in any order and `decide` looks only at the state, every
 * interleaving of the inputs leads to the same events (confluence).
 */
export interface Decider<State, Input extends DomainEvent, Output extends DomainEvent> {
  readonly initial: State;
  evolve(state: State, event: Input | Output): State;
  decide(state: State): readonly Output[];
}

/** Takes one input and then decides until nothing more follows. Throws after `bound` rounds: a decider that runs away. */
export function runToFixpoint<State, Input extends DomainEvent, Output extends DomainEvent>(
  decider: Decider<State, Input, Output>,
  state: State,
  input: Input,
  bound = 10_000,
): { state: State; events: Output[] } {
  const events: Output[] = [];
  let current = decider.evolve(state, input);
  for (let round = 0; round < bound; round++) {
    const decided = decider.decide(current);
    if (decided.length === 0) return { state: current, events };
    for (const event of decided) current = decider.evolve(current, event);
    events.push(...decided);
  }
  throw new RangeError(`no fixpoint after ${bound} rounds`);
}
