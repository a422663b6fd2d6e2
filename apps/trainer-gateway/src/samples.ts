import type { RolloutCompleted, TokenSample } from '@whale/contracts';

/** The token samples of weight rollouts, kept until their step is trained; a document for each rollout. */
export interface StoredSamples {
  samples: TokenSample[];
}

export function samplesPrefix(experimentId: string): string {
  return `samples/${experimentId}/`;
}

export function samplesKey(experimentId: string, stepId: string, rolloutId: string): string {
  return `${samplesPrefix(experimentId)}${stepId}/${rolloutId}`;
}

export function samplesOf(rollout: RolloutCompleted['data']): ReadonlyMap<string, StoredSamples> {
  if (rollout.group.purpose !== 'weight') return new Map();
  const key = samplesKey(rollout.experimentId, rollout.group.id, rollout.rolloutId);
  return new Map([[key, { samples: rollout.samples }]]);
}
