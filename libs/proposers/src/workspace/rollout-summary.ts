import type { RolloutCompleted } from '@whale/contracts';
import type { Measurement, TaskResult } from './measurement.ts';
import { fileName } from './names.ts';
import { clip } from './text.ts';

const MOST_ANSWER = 160;
/** Characters of one diagnostic that is a text. */
const MOST_DIAGNOSTIC = 200;

/** What outcomes.jsonl says of a rollout besides its outcome: little enough to be kept for every rollout. */
export interface RolloutSummary {
  end: string;
  answer: string | null;
  segments: number;
  sampled: number;
}

export function summaryOf({ end, trajectory, tokens }: RolloutCompleted['data']): RolloutSummary {
  return {
    end:
      end.kind === 'answered' ? end.kind : `${end.kind}: ${end.kind === 'truncated' ? end.reason : clip(end.code, 80)}`,
    answer: end.kind === 'answered' ? clip(end.answer, MOST_ANSWER) : null,
    segments: trajectory.length,
    sampled: tokens.sampled,
  };
}

/** Below the folder of the harness. One file for a rollout, as a pair may be measured in more than one phase. */
export function trajectoryPath(
  { weights, cycle, iteration, index }: Measurement,
  taskId: string,
  again: boolean,
): string {
  const folder = again ? `${fileName(weights)}~c${cycle}-i${iteration}-n${index}` : fileName(weights);
  return `trajectories/${folder}/${fileName(taskId)}.md`;
}

/** A line of outcomes.jsonl. */
export function outcomeLine(
  { weights }: Measurement,
  { taskId, outcome, diagnostics }: TaskResult,
  summary: RolloutSummary | undefined,
  path: string,
): string {
  const short = Object.entries(diagnostics).map(([name, value]) => [
    name,
    typeof value === 'string' ? clip(value, MOST_DIAGNOSTIC) : value,
  ]);
  const known = summary === undefined ? { trajectory: null } : { ...summary, trajectory: path };
  return JSON.stringify({ weights, task: taskId, outcome, diagnostics: Object.fromEntries(short), ...known });
}
