import { Controller, Inject } from '@nestjs/common';
import {
  ExperimentCancelRequested,
  experimentIdOf,
  ExperimentSubmitted,
  HarnessProposed,
  HarnessScored,
  ProposalAudited,
  ProposalFailed,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
  WeightsUpdated,
  WeightUpdateFailed,
  type EventEnvelope,
  type ExperimentEnded,
} from '@whale/contracts';
import { describeError, InputError, isRetryable } from '@whale/kernel';
import { followDecider, OnEvent, stateKey, type Delivery, type Reaction } from '@whale/service-kit';
import { schedulerDecider } from './decider.ts';
import type { SchedulerInput } from './events.ts';
import { initialState } from './state.ts';
import { startExperiment, type StartParts } from './start-experiment.ts';

export const START_PARTS = Symbol('START_PARTS');

@Controller()
export class SchedulerReactor {
  readonly #parts: StartParts;

  constructor(@Inject(START_PARTS) parts: StartParts) {
    this.#parts = parts;
  }

  @OnEvent(ExperimentSubmitted)
  async submitted({ event }: EventEnvelope<ExperimentSubmitted>, delivery: Delivery): Promise<Reaction> {
    checkId(event.data);
    try {
      const started = await startExperiment(event.data, this.#parts);
      const reaction = await follow(started, delivery);
      return { ...reaction, events: [started, ...(reaction.events ?? [])] };
    } catch (error) {
      if (isRetryable(error)) throw error;
      return refused(event.data.experimentId, describeError(error).message);
    }
  }

  @OnEvent(ExperimentCancelRequested)
  cancelled({ event }: EventEnvelope<ExperimentCancelRequested>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(RolloutFailed)
  rolloutFailed({ event }: EventEnvelope<RolloutFailed>, delivery: Delivery): Promise<Reaction> {
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

  @OnEvent(WeightsUpdated)
  updated({ event }: EventEnvelope<WeightsUpdated>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(WeightUpdateFailed)
  updateFailed({ event }: EventEnvelope<WeightUpdateFailed>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(HarnessProposed)
  proposed({ event }: EventEnvelope<HarnessProposed>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(ProposalAudited)
  audited({ event }: EventEnvelope<ProposalAudited>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(ProposalFailed)
  proposalFailed({ event }: EventEnvelope<ProposalFailed>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }

  @OnEvent(HarnessScored)
  scored({ event }: EventEnvelope<HarnessScored>, delivery: Delivery): Promise<Reaction> {
    return follow(event, delivery);
  }
}

function follow(event: SchedulerInput, delivery: Delivery): Promise<Reaction> {
  return followDecider(schedulerDecider, event, delivery);
}

/**
 * The id is a hash of the spec, so two specs cannot share one. A submission that claims the id of another spec is parked,
 * not refused: a refusal would end the experiment that has the id by right. Throws InputError.
 */
function checkId({ experimentId, spec }: ExperimentSubmitted['data']): void {
  const expected = experimentIdOf(spec);
  if (experimentId !== expected) {
    throw new InputError(`the spec submitted as ${experimentId} has the id ${expected}: submit it under that`);
  }
}

/** A spec that cannot start ends at once, and says why. */
function refused(experimentId: string, reason: string): Reaction {
  const ended: ExperimentEnded = {
    type: 'whale.experiment.ended.v1',
    data: {
      experimentId,
      status: 'failed',
      reason,
      base: null,
      best: null,
      bestOnTest: null,
      ledger: initialState.ledger,
    },
  };
  const state = { ...initialState, stage: { at: 'ended' } };
  return { events: [ended], documents: new Map([[stateKey(experimentId), state]]) };
}
