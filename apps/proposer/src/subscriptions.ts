import {
  CandidateRejected,
  CandidatesRequested,
  HarnessProposed,
  HarnessScored,
  ProposalAudited,
  ProposalFailed,
} from '@whale/contracts';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [CandidatesRequested, HarnessScored],
  emits: [HarnessProposed, CandidateRejected, ProposalAudited, ProposalFailed],
};
