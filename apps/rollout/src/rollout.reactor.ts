import { Controller } from '@nestjs/common';
import { RolloutRequested, type EventEnvelope } from '@whale/contracts';
import { OnEvent, type Reaction } from '@whale/service-kit';
import { ROLLOUT_WORK } from './rollout.work.ts';

@Controller()
export class RolloutReactor {
  @OnEvent(RolloutRequested)
  requested({ event }: EventEnvelope<RolloutRequested>): Reaction {
    return { work: [{ kind: ROLLOUT_WORK, payload: event.data }] };
  }
}
