import { z } from 'zod';

/** Ids become keys and headers of the log, where an empty one could be written and not be read. */
export const Id = z.string().min(1);

/** Claim check: where the bytes lie, what they must hash to, how many they are. */
export const BlobRef = z.strictObject({
  uri: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().nonnegative(),
});
export type BlobRef = z.infer<typeof BlobRef>;

/** One immutable θ. `version` is `w<n>`: n counts the updates that changed the weights. */
export const WeightsRef = BlobRef.extend({ version: z.string().regex(/^w\d+$/) });
export type WeightsRef = z.infer<typeof WeightsRef>;

/** One immutable harness source file; `id` is the sha256 of its text, so the id is also its content address. */
export const HarnessRef = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  uri: z.string().min(1),
  bytes: z.int().nonnegative(),
});
export type HarnessRef = z.infer<typeof HarnessRef>;

export const Split = z.enum(['weight', 'harness', 'validation', 'test']);
export type Split = z.infer<typeof Split>;

/** Typed outcomes. Only the first four count as reward; the last two are retried, then reported. */
export const Outcome = z.enum([
  'correct',
  'incorrect',
  'truncated',
  'harness_error',
  'infrastructure_error',
  'verifier_error',
]);
export type Outcome = z.infer<typeof Outcome>;

export const ErrorInfo = z.strictObject({ code: z.string(), message: z.string(), retryable: z.boolean() });
export type ErrorInfo = z.infer<typeof ErrorInfo>;

/** Per-rollout diagnostics of a domain: `{ format: true, retrieval: false, … }`. */
export const Diagnostics = z.record(z.string(), z.union([z.boolean(), z.number(), z.string()]));
export type Diagnostics = z.infer<typeof Diagnostics>;

/** A proportion with its 95% Wilson interval. `n` counts measured rollouts. */
export const Estimate = z.strictObject({
  mean: z.number(),
  n: z.int().nonnegative(),
  low: z.number(),
  high: z.number(),
});
export type Estimate = z.infer<typeof Estimate>;
