import { Controller } from '@nestjs/common';
import {
  AcceptanceDecided,
  ConfirmationOpened,
  EvaluationOpened,
  ExperimentStarted,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
  type EventEnvelope,
} from '@whale/contracts';
import { followDecider, OnEvent, type Delivery, type Reaction } from '@whale/service-kit';
import { archiveDecider } from './decider.ts';
import type { ArchiveInput } from './events.ts';

@Controller()
export class ArchiveReactor {
  @OnEvent(ExperimentStarted)
  started({ event }: EventEnvelope<ExperimentStarted>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(ConfirmationOpened)
  confirmationOpened({ event }: EventEnvelope<ConfirmationOpened>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(AcceptanceDecided)
  acceptanceDecided({ event }: EventEnvelope<AcceptanceDecided>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(EvaluationOpened)
  opened({ event }: EventEnvelope<EvaluationOpened>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(RolloutVerified)
  verified({ event }: EventEnvelope<RolloutVerified>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(VerificationFailed)
  unverified({ event }: EventEnvelope<VerificationFailed>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(RolloutFailed)
  failed({ event }: EventEnvelope<RolloutFailed>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }
}

function follow(event: ArchiveInput, delivery: Delivery): Promise<Reaction> {
  return followDecider(archiveDecider, event, delivery);
}
