import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import {
  ExperimentCancelRequested,
  ProposalFailed,
  type AnyEvent,
  type EventEnvelope,
  type ProposalFailed as ProposalFailedEvent,
} from '@whale/contracts';
import type { ServiceDefinition } from '../service.ts';
import { OnEvent, type Delivery, type Reaction } from '../transport/on-event.ts';
import { WORK_HANDLERS } from '../work/tokens.ts';
import type { WorkHandler } from '../work/work-runner.ts';

/** Told of each request before it is answered; what it throws the handler throws. */
export type Probe = (reason: string, delivery: Delivery) => void | Promise<void>;

const PROBE = Symbol('PROBE');

/** Counts requests per experiment in a document, and answers each with an event or, for the reason `work`, with work. */
@Controller()
class EchoController {
  readonly #probe: Probe;

  constructor(@Inject(PROBE) probe: Probe) {
    this.#probe = probe;
  }

  @OnEvent(ExperimentCancelRequested)
  async requested({ event }: EventEnvelope<ExperimentCancelRequested>, delivery: Delivery): Promise<Reaction> {
    const { experimentId, reason } = event.data;
    const count = ((await delivery.document('count')) as number | undefined) ?? 0;
    await this.#probe(reason, delivery);
    const documents = new Map([['count', count + 1]]);
    if (reason === 'work') return { documents, work: [{ kind: 'echo', payload: { experimentId, reason } }] };
    return { documents, events: [echo(experimentId, reason)] };
  }
}

export function request(experimentId: string, reason = 'none'): AnyEvent {
  return { type: 'whale.experiment.cancel-requested.v1', data: { experimentId, reason } };
}

export function echo(experimentId: string, message: string): ProposalFailedEvent {
  const error = { code: 'ECHO', message, retryable: false };
  return {
    type: 'whale.proposal.failed.v1',
    data: { experimentId, iterationId: experimentId, attempt: 1, final: true, error },
  };
}

@Module({})
class EchoModule {}

export const ECHO_TOPIC = ProposalFailed.topic;
export const REQUEST_TOPIC = ExperimentCancelRequested.topic;

/** A real service on the proposer's place. */
export function echoService(
  probe: Probe = () => undefined,
  handlers: readonly WorkHandler[] = [],
): ServiceDefinition<null> {
  return {
    name: 'proposer',
    subscriptions: { consumes: [ExperimentCancelRequested], emits: [ProposalFailed] },
    config: () => null,
    module: (): DynamicModule => ({
      module: EchoModule,
      controllers: [EchoController],
      providers: [
        { provide: PROBE, useValue: probe },
        { provide: WORK_HANDLERS, useValue: handlers },
      ],
    }),
  };
}
