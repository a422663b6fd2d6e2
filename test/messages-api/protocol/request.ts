import { z } from 'zod';
import { invalid } from './api-error.ts';

const CacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const ToolUseId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);

const Text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.null().optional(),
  cache_control: CacheControl,
});
const Thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: ToolUseId,
  name: ToolName,
  input: z.record(z.string(), z.unknown()),
  caller: z.strictObject({ type: z.literal('direct') }).optional(),
  toolset_name: z.null().optional(),
  cache_control: CacheControl,
});
const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: ToolUseId,
  content: z.union([z.string(), z.array(Text)]).optional(),
  is_error: z.boolean().optional(),
  cache_control: CacheControl,
});

const Block = z.discriminatedUnion('type', [Text, Thinking, ToolUse, ToolResult]);
export type Block = z.infer<typeof Block>;

const asBlocks = (content: string | Block[]): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** A turn; a content that is one string is one text block. */
const Turn = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(Block)]).transform(asBlocks),
});
export type Turn = z.infer<typeof Turn>;

const Tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: ToolName,
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  cache_control: CacheControl,
});

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...parallel }),
  z.strictObject({ type: z.literal('any'), ...parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
]);

const display = { display: z.enum(['summarized', 'omitted']).nullish() };
const ThinkingConfig = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), ...display }),
  z.strictObject({ type: z.literal('adaptive'), ...display }),
  z.strictObject({ type: z.literal('disabled') }),
]);

/** The body of `POST /v1/messages`, as far as this server speaks it; what it does not know is refused. */
const MessagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(Turn).min(1),
  system: z.union([z.string(), z.array(Text)]).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: ThinkingConfig.optional(),
  output_config: z.strictObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish() }).optional(),
  cache_control: CacheControl,
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  stream: z.boolean().optional(),
});
export type MessagesRequest = z.infer<typeof MessagesRequest>;

/** Parses a body. Throws ApiError 400 in the API's manner: the path, then what is wrong there. */
export function parseRequest(body: unknown): MessagesRequest {
  const parsed = MessagesRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalid(complaint(parsed.error.issues));
}

function complaint(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[] = []): string {
  const issue = issues[0];
  if (issue === undefined) return 'invalid request';
  const path = [...above, ...issue.path];
  // Of the two forms of a content, the list is the one that was meant.
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
    if (deepest !== undefined) return complaint(deepest, path);
  }
  const at = path.join('.');
  if (issue.code === 'unrecognized_keys')
    return `${[at, issue.keys[0]].filter(Boolean).join('.')}: Extra inputs are not permitted`;
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return `${at}: Field required`;
  return `${at}: ${issue.message}`;
}

const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(0, ...issues.map((issue) => issue.path.length));
