import { Controller, Inject, Module } from '@nestjs/common';
import { ExperimentCancelRequested, type EventEnvelope } from '@whale/contracts';
import { OnEvent, WORK_HANDLERS, type Reaction, type ServiceDefinition } from '@whale/service-kit';

type Handle = () => Promise<void>;

const HANDLE = Symbol('HANDLE');

@Controller()
class SlowController {
  readonly #handle: Handle;

  constructor(@Inject(HANDLE) handle: Handle) {
    this.#handle = handle;
  }

  @OnEvent(ExperimentCancelRequested)
  async requested(_event: EventEnvelope<ExperimentCancelRequested>): Promise<Reaction> {
    await this.#handle();
    return {};
  }
}

@Module({})
class SlowModule {}

/** A real service on the scheduler's place whose handler does what the test says. */
export function slowService(handle: Handle): ServiceDefinition<null> {
  return {
    name: 'scheduler',
    subscriptions: { consumes: [ExperimentCancelRequested], emits: [] },
    config: () => null,
    module: () => ({
      module: SlowModule,
      controllers: [SlowController],
      providers: [
        { provide: HANDLE, useValue: handle },
        { provide: WORK_HANDLERS, useValue: [] },
      ],
    }),
  };
}
