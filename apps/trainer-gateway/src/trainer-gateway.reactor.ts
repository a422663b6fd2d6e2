import { Controller } from '@nestjs/common';
import { RolloutCompleted, WeightUpdateRequested, type EventEnvelope } from '@whale/contracts';
import { OnEvent, type Reaction } from '@whale/service-kit';
import { samplesOf } from './samples.ts';
import { TRAIN_WORK } from './trainer-gateway.work.ts';

@Controller()
export class TrainerGatewayReactor {
  @OnEvent(RolloutCompleted)
  completed({ event }: EventEnvelope<RolloutCompleted>): Reaction {
    return { documents: samplesOf(event.data) };
  }

  @OnEvent(WeightUpdateRequested)
  requested({ event }: EventEnvelope<WeightUpdateRequested>): Reaction {
    return { work: [{ kind: TRAIN_WORK, payload: event.data }] };
  }
}
