import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import type { DomainEvent, EventDefinition, EventEnvelope, EventOf } from '@whale/contracts';
import type { NewWork } from '../store/service-store.ts';

/** What a handler wants done; it takes effect in one transaction with the checkpoint, or not at all. */
export interface Reaction {
  /** Events to publish. */
  events?: readonly DomainEvent[];
  /** Documents to write; null deletes. */
  documents?: ReadonlyMap<string, unknown>;
  /** Long work to do from the inbox; the consumer does not wait for it. */
  work?: readonly Omit<NewWork, 'id'>[];
}

export interface Delivery {
  topic: string;
  partition: number;
  offset: number;
  /** A document as the earlier events of the same batch left it. */
  document(key: string): Promise<unknown>;
}

type EventHandlerMethod<Definition> = (
  event: EventEnvelope<Extract<EventOf<Definition>, DomainEvent>>,
  delivery: Delivery,
) => Reaction | void | Promise<Reaction | void>;

/** Binds a controller method to an event; the compiler checks that the method takes just that event. */
export function OnEvent<Definition extends EventDefinition>(definition: Definition) {
  return <Method extends EventHandlerMethod<Definition>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    EventPattern(definition.type)(
      target,
      key,
      descriptor as unknown as TypedPropertyDescriptor<(data: object) => unknown>,
    );
    // Without parameter metadata Nest hands over the payload alone.
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
  };
}
