import type { EffectRecord, RolloutEnd } from '@whale/contracts';
import type { JsonValue } from '@whale/kernel';
import { SandboxError } from '../errors.ts';
import type { HarnessSandbox } from '../harness-sandbox.ts';
import type { HarnessLimitsInput } from '../limits.ts';

/** A rollout of some harness, as the log has it. */
export interface RecordedRollout {
  /** What the harness saw of the task. */
  task: JsonValue;
  /** Those of the rollout. */
  limits?: HarnessLimitsInput;
  effects: readonly EffectRecord[];
  end: RolloutEnd;
}

/**
 * Whether the source, given the recorded results, yields the recorded effects in their order and ends as recorded, in
 * each of the rollouts. The first that comes out otherwise settles it, most often with its first effect. Without any
 * rollout there is nothing to go by: false. Rejects for infrastructure only.
 */
export async function sameBehaviour(
  sandbox: Pick<HarnessSandbox, 'replay'>,
  source: string,
  recorded: readonly RecordedRollout[],
): Promise<boolean> {
  // Few effects first: they cost least, and harnesses differ there as well.
  const rollouts = [...recorded].sort((a, b) => a.effects.length - b.effects.length);
  for (const rollout of rollouts) if (!(await comesOutAs(sandbox, source, rollout))) return false;
  return rollouts.length > 0;
}

async function comesOutAs(
  sandbox: Pick<HarnessSandbox, 'replay'>,
  source: string,
  { task, limits, effects, end }: RecordedRollout,
): Promise<boolean> {
  try {
    const run = await sandbox.replay({ source, task, limits, effects });
    return endsAs(run.end, end);
  } catch (error) {
    if (error instanceof SandboxError && error.code === 'REPLAY_DIVERGED') return false;
    throw error;
  }
}

/** Of an error its kind: lines and wording are of the source. */
function endsAs(one: RolloutEnd, other: RolloutEnd): boolean {
  switch (one.kind) {
    case 'answered':
      return other.kind === 'answered' && one.answer === other.answer;
    case 'truncated':
      return other.kind === 'truncated' && one.reason === other.reason;
    case 'harness_error':
      return other.kind === 'harness_error' && one.code === other.code;
  }
}
