import { ApiError } from './api-error.ts';

/** What a model takes. The kinds follow the public documentation; the sizes are this server's own. */
export interface ModelTraits {
  thinking: readonly ('enabled' | 'adaptive')[];
  /** Whether the thinking text comes back when the request does not say. Its signature always does. */
  showsThinking: boolean;
  /** Takes temperature, top_p and top_k other than its own. */
  sampling: boolean;
  /** May be asked to continue an assistant turn. */
  prefill: boolean;
  mostOutputTokens: number;
  contextTokens: number;
}

const newest: ModelTraits = {
  thinking: ['adaptive'],
  showsThinking: false,
  sampling: false,
  prefill: false,
  mostOutputTokens: 128_000,
  contextTokens: 1_000_000,
};
const between: ModelTraits = { ...newest, thinking: ['adaptive', 'enabled'], showsThinking: true, sampling: true };
const older: ModelTraits = {
  thinking: ['enabled'],
  showsThinking: true,
  sampling: true,
  prefill: true,
  mostOutputTokens: 64_000,
  contextTokens: 200_000,
};

const MODELS: Readonly<Record<string, ModelTraits>> = {
  'claude-opus-5-5': newest,
  'claude-sonnet-5-5': newest,
  'claude-haiku-5-5': newest,
  'claude-opus-5': newest,
  'claude-sonnet-5': newest,
  'claude-opus-4-6': between,
  'claude-sonnet-4-6': between,
  'claude-sonnet-4-5': older,
  'claude-haiku-4-5': older,
};

export function modelTraits(model: string): ModelTraits {
  const traits = MODELS[model];
  if (traits === undefined) throw new ApiError(404, `model: ${model}`);
  return traits;
}
