import type { RolloutCompleted, RolloutVerified, Spec } from '@whale/contracts';
import { gradeToOutcome, type Domain } from '@whale/domain-api';
import { WhaleError } from '@whale/kernel';

/** What the verifier needs of a completed rollout; the tokens stay behind. */
export type VerifiableRollout = Omit<RolloutCompleted['data'], 'samples' | 'effects'>;

/** R(x, τ) with a typed outcome. Throws WhaleError when the domain cannot judge. */
export async function verifyRollout(
  rollout: VerifiableRollout,
  loadDomain: (spec: Spec['domain']) => Promise<Domain>,
): Promise<RolloutVerified> {
  const domain = await loadDomain(rollout.domain);
  const task = domain.task(rollout.taskId);
  if (!task) throw new WhaleError('TASK_UNKNOWN', `${domain.name}/${domain.dataset} has no task ${rollout.taskId}`);
  const { end, trajectory } = rollout;
  const verdict = await domain.verify({ task, end, trajectory });
  const outcome = gradeToOutcome(end, verdict.reward);
  const { experimentId, rolloutId, attempt, group, weightsVersion, harnessId, taskId, sampleIndex, tokens } = rollout;
  return {
    type: 'whale.rollout.verified.v1',
    data: {
      experimentId,
      rolloutId,
      attempt,
      group,
      weightsVersion,
      harnessId,
      taskId,
      sampleIndex,
      reward: outcome === 'correct' ? 1 : 0,
      outcome,
      diagnostics: verdict.diagnostics,
      tokens,
    },
  };
}
