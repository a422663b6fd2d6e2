import type { z } from 'zod';
import { Refusal } from './path.ts';

/** What one call of a tool gave. A call that was refused has the reason in `text` and in `error`, for the model. */
export interface ToolResult {
  /** What the model reads. */
  text: string;
  /** Files of the workspace of which something is in `text`, relative to it, with `/`. */
  paths: readonly string[];
  /** UTF-8 bytes of `text`. */
  bytes: number;
  /** Null when the tool did what it was asked; else a sentence: what was wrong and what is allowed. */
  error: string | null;
}

export interface ToolContext {
  /** Absolute path of the workspace. Nothing outside it is opened. */
  root: string;
  signal: AbortSignal;
}

/** A tool that a model may call. Its JSON Schema is `z.toJSONSchema(input)`. */
export interface WorkspaceTool<Input = unknown> {
  name: string;
  /** For the model: what it does, its limits. */
  description: string;
  input: z.ZodType<Input>;
  /** Takes what `input` has parsed. Rejects for infrastructure and when the signal aborts, never for what was asked. */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export function done(text: string, paths: readonly string[] = []): ToolResult {
  return { text, paths, bytes: Buffer.byteLength(text), error: null };
}

export function refused(error: string): ToolResult {
  return { text: error, paths: [], bytes: Buffer.byteLength(error), error };
}

/** What `work` gives, or its Refusal as the answer. */
export async function answering(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message);
    throw error;
  }
}
