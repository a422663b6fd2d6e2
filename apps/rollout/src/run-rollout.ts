import type { BlobStore } from '@whale/blob-store';
import type { Effect, RolloutCompleted, RolloutRequested, Spec } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import { sandboxLimits, type HarnessSandbox } from '@whale/harness-sandbox';
import { WhaleError, type JsonValue } from '@whale/kernel';
import type { Policy } from '@whale/policy';
import { TrajectoryRecorder } from './trajectory.ts';

export interface RolloutParts {
  policy: Policy;
  sandbox: HarnessSandbox;
  blobs: BlobStore;
  loadDomain: (spec: Spec['domain']) => Promise<Domain>;
}

/**
 * One rollout: the harness runs in the sandbox, its effects are served by the policy and the domain's tools. Depends
 * only on the request: (θ, h, task, sample index, seed). Throws WhaleError for infrastructure; how the harness fared
 * is the `end` of the event.
 */
export async function runRollout(
  request: RolloutRequested['data'],
  parts: RolloutParts,
  signal: AbortSignal,
): Promise<RolloutCompleted> {
  const domain = await parts.loadDomain(request.domain);
  const task = domain.task(request.taskId);
  if (!task) throw new WhaleError('TASK_UNKNOWN', `${domain.name}/${domain.dataset} has no task ${request.taskId}`);
  const source = new TextDecoder().decode(
    await parts.blobs.get({ uri: request.harness.uri, sha256: request.harness.id }),
  );
  const tools = domain.tools(task);
  const recorder = new TrajectoryRecorder();
  let calls = 0;

  const onEffect = async (effect: Effect): Promise<JsonValue> => {
    // Effects of a batch come in one go; after a stop, none is begun.
    signal.throwIfAborted();
    if (effect.type === 'tool') {
      const result = await tools.call(effect.name, effect.args as Record<string, JsonValue>);
      recorder.toolAnswered(effect.name, JSON.stringify(result));
      return result;
    }
    const generation = await parts.policy.generate(
      {
        weights: request.weights,
        messages: effect.messages,
        stop: effect.stop ?? [],
        maxTokens: Math.min(effect.maxTokens ?? request.maxTokens, request.maxTokens),
        temperature: request.temperature,
        seed: `${request.seed}/call/${calls++}`,
      },
      signal,
    );
    recorder.generated(effect.messages, generation);
    return { text: generation.text, finish: generation.finish };
  };

  const run = await parts.sandbox.run({
    source,
    task: { ...task.input },
    limits: {
      ...sandboxLimits(request.limits),
      maxTokens: request.maxTokens,
      contextTokens: parts.policy.contextTokens,
    },
    onEffect,
    signal,
  });
  const { experimentId, rolloutId, attempt, group, weights, harness, taskId, sampleIndex } = request;
  return {
    type: 'whale.rollout.completed.v1',
    data: {
      experimentId,
      rolloutId,
      attempt,
      group,
      weightsVersion: weights.version,
      harnessId: harness.id,
      domain: request.domain,
      taskId,
      sampleIndex,
      end: run.end,
      trajectory: recorder.segments,
      samples: recorder.samples,
      effects: run.effects,
      tokens: recorder.tokens,
    },
  };
}
