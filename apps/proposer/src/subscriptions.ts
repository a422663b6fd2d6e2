import {
  CandidateRejected,
  CandidatesRequested,
  HarnessProposed,
  HarnessScored,
  ProposalAudited,
  ProposalFailed,
} from '@whale/contracts';
import { WORKSPACE_EVENTS } from '@whale/proposers/workspace';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [CandidatesRequested, HarnessScored],
  emits: [HarnessProposed, CandidateRejected, ProposalAudited, ProposalFailed],
  // Workspaces are made of what the log has told so far, and trials of its rollouts.
  reads: WORKSPACE_EVENTS,
};
