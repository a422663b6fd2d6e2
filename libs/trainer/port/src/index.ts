import type { BlobRef, TokenSample } from '@whale/contracts';

/** One SFT pass (RSFT, DESIGN §5): L(θ) = − Σ_τ Σ_{t∈I(τ)} log π_θ(τ_t | τ_<t) / Σ_τ |I(τ)|. */
export interface UpdateRequest {
  /** Idempotency key: the same id with the same input gives the same result and may be answered from a cache. */
  updateId: string;
  weights: BlobRef;
  /** Optimizer state after the previous update; null starts afresh. */
  optimizer: BlobRef | null;
  /** S⁺ in a deterministic order. Never empty: an empty S⁺ changes no weights and does not reach the trainer. */
  samples: readonly TokenSample[];
  learningRate: number;
  /** Upper bound of tokens in one gradient batch. */
  batchTokens: number;
  seed: string;
}

export interface UpdateProgress {
  batch: number;
  batches: number;
  loss: number;
}

export interface UpdateResult {
  weights: BlobRef;
  optimizer: BlobRef | null;
  /** Token-normalised negative log-likelihood over the pass, measured before each batch's step, in nats. */
  loss: number;
  /** Model tokens that carried loss: Σ |I(τ)|. */
  lossTokens: number;
  /** All tokens that went through the model. */
  totalTokens: number;
  batches: number;
}

export interface Trainer {
  update(
    request: UpdateRequest,
    onProgress?: (progress: UpdateProgress) => void,
    signal?: AbortSignal,
  ): Promise<UpdateResult>;
  close(): Promise<void>;
}
