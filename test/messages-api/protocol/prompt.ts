import type { MessagesRequest } from './request.ts';

/** One cacheable piece of a prompt, in the order in which the API reads it: tools, system, messages. */
export interface PromptBlock {
  /** What the model reads of it; two blocks with the same text are the same to the cache. */
  text: string;
  tokens: number;
  /** How long a prefix that ends here is kept; undefined: no breakpoint. */
  breakpoint?: '5m' | '1h';
}

/** A fixed estimate: a token for each four bytes of UTF-8 that have begun. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The prompt in pieces. */
export function promptBlocks(request: MessagesRequest): PromptBlock[] {
  const { tools = [], system = [], messages, thinking, tool_choice, cache_control } = request;
  const blocks = [
    ...tools.map((tool) => piece('tool', tool)),
    ...(typeof system === 'string' ? [{ type: 'text', text: system }] : system).map((block) => piece('system', block)),
    // Another way of thinking or of choosing tools makes the messages another prompt; tools and system stay.
    ...messages.flatMap(({ role, content }) =>
      content.map((block) => piece(`${role} ${JSON.stringify([thinking ?? null, tool_choice ?? null])}`, block)),
    ),
  ];
  const last = blocks.at(-1);
  if (cache_control != null && last !== undefined) last.breakpoint ??= cache_control.ttl ?? '5m';
  return blocks;
}

export function breakpointsOf(prompt: readonly PromptBlock[]): number[] {
  return prompt.flatMap(({ breakpoint }, place) => (breakpoint === undefined ? [] : [place]));
}

function piece(kind: string, block: object): PromptBlock {
  const { cache_control, ...said } = block as { cache_control?: { ttl?: '5m' | '1h' } | null };
  const json = JSON.stringify(said);
  const breakpoint = cache_control == null ? {} : { breakpoint: cache_control.ttl ?? '5m' };
  return { text: `${kind} ${json}`, tokens: estimateTokens(json), ...breakpoint };
}
