export { ExperimentFold, viewOf, VIEW_TOPICS, VIEW_TYPES, type SeenEvent } from './fold.ts';
export {
  type AcceptanceView,
  type ArchiveEntryView,
  type ExperimentStatus,
  type ExperimentView,
  type HarnessView,
  type LedgerView,
  type OpenGroupView,
  type PairId,
  type PairView,
  type PhaseView,
  type RejectedView,
  type StepView,
  type TaskResult,
} from './view.ts';
export { summarize, type ExperimentSummary } from './summarize.ts';
export { incumbentOf, pairOf, provisionalResult, type Result } from './result.ts';
export { phaseGain, phaseGains, type Difference, type PhaseGain } from './gains.ts';
export { phaseNoise, type PhaseNoise } from './noise.ts';
export { showcase, type Showcase } from './showcase.ts';
