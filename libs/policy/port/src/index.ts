import type { Message, Reply, WeightsRef } from '@whale/contracts';

export interface GenerateRequest {
  /** The θ that this rollout was asked for. A policy that serves another must fail with a retryable error. */
  weights: WeightsRef;
  messages: readonly Message[];
  /** Stop texts; the end-of-turn token always stops. */
  stop: readonly string[];
  maxTokens: number;
  /** Temperature over the full softmax; 0 is greedy. */
  temperature: number;
  /** Names the random stream of this call: same request and seed, same tokens, whatever is batched beside it. */
  seed: string;
}

export interface Generation extends Reply {
  /** Ids of the prompt exactly as the model saw them. */
  promptTokens: number[];
  /** Ids exactly as sampled, the end-of-turn token included when it was sampled. */
  tokens: number[];
}

/** Inference: the frozen θ that answers. Errors are WhaleError; `retryable` says whether to ask again. */
export interface Policy {
  /** Tokens that prompt and reply may take together. */
  readonly contextTokens: number;
  generate(request: GenerateRequest, signal?: AbortSignal): Promise<Generation>;
  close(): Promise<void>;
}
