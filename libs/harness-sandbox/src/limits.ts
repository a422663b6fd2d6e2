import type { RolloutLimits } from '@whale/contracts';
import { z } from 'zod';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * What one rollout may use. All but `stepMillis` are deterministic: the same source and the same results end the same
 * way on every machine.
 */
export const HarnessLimits = z.strictObject({
  /** `generate` effects. One more ends the rollout as truncated (`turns`). */
  turns: z.int().positive().default(16),
  /** Effects of all types. One more ends the rollout as truncated (`effects`). */
  effects: z.int().positive().default(64),
  /** Most tokens of one reply, told to the harness; whoever serves the effect enforces it. */
  maxTokens: z.int().positive().default(1024),
  /** Tokens of the model's context window, told to the harness; whoever serves the effect enforces it. */
  contextTokens: z.int().positive().default(8192),
  /** One unit is 10,000 loop turns and calls inside the VM, about 0.05–0.5 ms; over all steps of the rollout. */
  fuel: z.int().positive().default(10_000),
  /** Heap of the VM. An empty VM takes 0.2 MiB of it. */
  memoryBytes: z
    .int()
    .min(2 * MIB)
    .default(32 * MIB),
  /** CPU time in ms of one step between two effects, and ten times that of all: for native loops, which use no fuel. */
  stepMillis: z.int().min(100).default(2000),
  /** UTF-8 bytes of the harness source. */
  sourceBytes: z
    .int()
    .positive()
    .default(256 * KIB),
  /** UTF-8 bytes of the JSON of one effect. */
  effectBytes: z.int().positive().default(MIB),
  /** UTF-8 bytes of the JSON of one result. A larger one reaches the harness as `{ error }`. */
  resultBytes: z.int().positive().default(MIB),
  /** UTF-8 bytes of the JSON of all effects and results together: the host keeps them until the rollout ends. */
  recordBytes: z
    .int()
    .positive()
    .default(16 * MIB),
  /** UTF-8 bytes of the answer. */
  answerBytes: z
    .int()
    .positive()
    .default(64 * KIB),
});
export type HarnessLimits = z.infer<typeof HarnessLimits>;
export type HarnessLimitsInput = z.input<typeof HarnessLimits>;

/** The limits of a spec, as far as they are the sandbox's. */
export function sandboxLimits({ turns, effects, fuel, memoryMegabytes, stepMilliseconds }: RolloutLimits) {
  return { turns, effects, fuel, memoryBytes: memoryMegabytes * MIB, stepMillis: stepMilliseconds };
}
