import { z } from 'zod';
import { Json, JsonObject } from './json.ts';

export const Message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
});
export type Message = z.infer<typeof Message>;

/** Effects that a harness yields (DESIGN §6). What comes back is an EffectResult. */
export const GenerateEffect = z.strictObject({
  type: z.literal('generate'),
  messages: z.array(Message).min(1),
  /** Stop texts. The policy's end-of-turn token always stops. The stop text is not part of the reply. */
  stop: z.array(z.string()).optional(),
  maxTokens: z.int().positive().optional(),
});
export type GenerateEffect = z.infer<typeof GenerateEffect>;

export const ToolEffect = z.strictObject({
  type: z.literal('tool'),
  name: z.string().min(1),
  args: JsonObject,
});
export type ToolEffect = z.infer<typeof ToolEffect>;

export const Effect = z.discriminatedUnion('type', [GenerateEffect, ToolEffect]);
export type Effect = z.infer<typeof Effect>;

/** What a harness receives for a `generate` effect. */
export const Reply = z.strictObject({
  text: z.string(),
  /** `stop`: the model ended its turn; `length`: maxTokens; `context`: the context window was full. */
  finish: z.enum(['stop', 'length', 'context']),
});
export type Reply = z.infer<typeof Reply>;

export const EffectRecord = z.strictObject({ effect: Effect, result: Json });
export type EffectRecord = z.infer<typeof EffectRecord>;

/** What a person reads of a rollout, in order. Model segments carry the sampled token ids. */
export const Segment = z.strictObject({
  source: z.enum(['system', 'user', 'model', 'tool', 'env']),
  text: z.string(),
  tokens: z.array(z.int().nonnegative()).optional(),
});
export type Segment = z.infer<typeof Segment>;

/**
 * What is trained is exactly what was sampled: `tokens` are the ids as the model saw them, `modelSpans` are
 * [start, length) runs that the model itself generated: the positions I(τ) of the loss. Everything else is masked.
 */
export const TokenSample = z.strictObject({
  tokens: z.array(z.int().nonnegative()),
  modelSpans: z.array(z.tuple([z.int().nonnegative(), z.int().positive()])),
});
export type TokenSample = z.infer<typeof TokenSample>;

/** How the execution of the harness ended. */
export const RolloutEnd = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answered'), answer: z.string() }),
  z.strictObject({
    kind: z.literal('truncated'),
    reason: z.enum(['turns', 'tokens', 'context', 'effects', 'no_answer']),
  }),
  z.strictObject({ kind: z.literal('harness_error'), code: z.string(), message: z.string() }),
]);
export type RolloutEnd = z.infer<typeof RolloutEnd>;
