import {
  AcceptanceDecided,
  CandidateRejected,
  CandidatesRequested,
  ExperimentStarted,
  HarnessProposed,
  HarnessScored,
  IncumbentChanged,
  PhaseEnded,
  PhaseStarted,
  ProposalAudited,
  ProposalFailed,
  RolloutCompleted,
} from '@whale/contracts';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [CandidatesRequested, HarnessScored],
  emits: [HarnessProposed, CandidateRejected, ProposalAudited, ProposalFailed],
  // Workspaces are made of what the log has told so far, and trials of its rollouts.
  reads: [
    ...[ExperimentStarted, PhaseStarted, PhaseEnded, AcceptanceDecided, CandidatesRequested],
    ...[HarnessScored, IncumbentChanged, HarnessProposed, CandidateRejected, ProposalFailed, RolloutCompleted],
  ],
};
