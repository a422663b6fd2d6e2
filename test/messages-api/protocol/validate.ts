import { ApiError, invalid } from './api-error.ts';
import { breakpointsOf, promptBlocks, type PromptBlock } from './prompt.ts';
import { modelTraits, type ModelTraits } from './models.ts';
import { parseRequest, type MessagesRequest } from './request.ts';
import { checkThinkingConfig, checkThinkingKept, type ThinkingSeal } from './thinking.ts';
import { checkToolPairs } from './tool-pairs.ts';
import { checkTurns } from './turns.ts';

export interface Checked {
  request: MessagesRequest;
  traits: ModelTraits;
  prompt: readonly PromptBlock[];
}

/** What the server knows besides the request. */
export interface Knowledge {
  seal: ThinkingSeal;
  thought(toolUseId: string): boolean | undefined;
}

/** All that the API checks of a body before it answers. Throws ApiError. */
export function validate(body: unknown, { seal, thought }: Knowledge): Checked {
  const request = parseRequest(body);
  const traits = modelTraits(request.model);
  checkLimits(request, traits);
  checkTools(request);
  checkTurns(request, traits);
  checkToolPairs(request);
  checkThinkingConfig(request, traits);
  seal.check(request);
  checkThinkingKept(request, thought);
  const prompt = promptBlocks(request);
  checkBreakpoints(prompt);
  checkLength(prompt, traits);
  return { request, traits, prompt };
}

function checkLimits({ model, max_tokens, temperature, top_p, top_k }: MessagesRequest, traits: ModelTraits): void {
  if (max_tokens > traits.mostOutputTokens) {
    throw invalid(
      `max_tokens: ${max_tokens} > ${traits.mostOutputTokens}, which is the maximum allowed number of output tokens for ${model}`,
    );
  }
  if (traits.sampling) return;
  const set = Object.entries({ temperature, top_p, top_k }).find(([, value]) => value !== undefined && value !== 1);
  if (set !== undefined) throw invalid(`\`${set[0]}\` may not be set for this model.`);
}

function checkTools({ tools = [], tool_choice, messages }: MessagesRequest): void {
  const names = tools.map((tool) => tool.name);
  if (new Set(names).size < names.length) throw invalid('tools: Tool names must be unique.');
  if (tool_choice?.type === 'tool' && !names.includes(tool_choice.name)) {
    throw invalid(`Tool '${tool_choice.name}' not found in provided tools`);
  }
  if (tools.length > 0) return;
  if (tool_choice !== undefined) throw invalid('tool_choice may only be specified while providing tools');
  if (messages.some(({ content }) => content.some(({ type }) => type === 'tool_use' || type === 'tool_result'))) {
    throw invalid('Requests which include `tool_use` or `tool_result` blocks must define tools');
  }
}

const MOST_BREAKPOINTS = 4;

function checkBreakpoints(prompt: readonly PromptBlock[]): void {
  const { length } = breakpointsOf(prompt);
  if (length > MOST_BREAKPOINTS) {
    throw invalid(`A maximum of ${MOST_BREAKPOINTS} blocks with cache_control may be provided. Found ${length}.`);
  }
}

function checkLength(prompt: readonly PromptBlock[], { contextTokens }: ModelTraits): void {
  const tokens = prompt.reduce((sum, block) => sum + block.tokens, 0);
  if (tokens > contextTokens) throw invalid(`prompt is too long: ${tokens} tokens > ${contextTokens} maximum`);
}

const VERSIONS: readonly string[] = ['2023-06-01', '2026-10-21'];

export interface Credentials {
  apiKey: string | undefined;
  authorization: string | undefined;
  version: string | undefined;
}

/** The headers that every request must carry. Throws ApiError 401 or 400. */
export function checkHeaders({ apiKey, authorization, version }: Credentials, accepted: string): void {
  // Older clients send the key by itself, newer ones as a bearer token.
  const key = apiKey ?? /^Bearer (.+)$/u.exec(authorization ?? '')?.[1];
  if (key === undefined) throw new ApiError(401, 'x-api-key header is required');
  if (key !== accepted) throw new ApiError(401, 'invalid x-api-key');
  if (version === undefined) throw invalid('anthropic-version: header is required');
  if (!VERSIONS.includes(version)) throw invalid(`anthropic-version: "${version}" is not a valid version`);
}
