import { Controller } from '@nestjs/common';
import { RolloutCompleted, type EventEnvelope } from '@whale/contracts';
import { OnEvent, type Reaction } from '@whale/service-kit';
import { VERIFY_WORK } from './verifier.work.ts';

@Controller()
export class VerifierReactor {
  @OnEvent(RolloutCompleted)
  completed({ event }: EventEnvelope<RolloutCompleted>): Reaction {
    const { samples: _samples, effects: _effects, ...rollout } = event.data;
    return { work: [{ kind: VERIFY_WORK, payload: rollout }] };
  }
}
