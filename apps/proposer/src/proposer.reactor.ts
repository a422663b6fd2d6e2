import { Controller } from '@nestjs/common';
import { CandidatesRequested, HarnessScored, type EventEnvelope } from '@whale/contracts';
import { OnEvent, type Reaction } from '@whale/service-kit';
import { PROPOSE_WORK } from './proposer.work.ts';
import { scoredKey } from './archive-view.ts';

@Controller()
export class ProposerReactor {
  @OnEvent(HarnessScored)
  scored({ event }: EventEnvelope<HarnessScored>): Reaction {
    const { experimentId, evaluationId } = event.data;
    return { documents: new Map([[scoredKey(experimentId, evaluationId), event.data]]) };
  }

  @OnEvent(CandidatesRequested)
  requested({ event }: EventEnvelope<CandidatesRequested>): Reaction {
    return { work: [{ kind: PROPOSE_WORK, payload: event.data }] };
  }
}
