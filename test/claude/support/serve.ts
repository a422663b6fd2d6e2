import { Claude } from '@whale/proposers';
import { onTestFinished } from 'vitest';
import { scripted, type AssistantTurn, type Brain } from '../../messages-api/brain.ts';
import type { FaultPlan } from '../../messages-api/faults.ts';
import { startMessagesApi, TEST_KEY, type MessagesApi } from '../../messages-api/server.ts';

/** A server that ends with the test. */
export async function serve(turns: readonly AssistantTurn[] | Brain, faults?: FaultPlan): Promise<MessagesApi> {
  const brain = typeof turns === 'function' ? turns : scripted(turns);
  const api = await startMessagesApi({ brain, ...(faults === undefined ? {} : { faults }) });
  onTestFinished(() => api.close());
  return api;
}

/** Does not wait long before it tries again. */
export function claude(key: string = TEST_KEY): Claude {
  return new Claude({ apiKey: () => key, backoffMilliseconds: 1 });
}

/** A content block of a request's body, as far as tests look at it. */
export interface SentBlock {
  type: string;
  text?: string;
  tool_use_id?: string;
  is_error?: boolean;
  content?: { type: string; text: string }[];
  cache_control?: unknown;
  [key: string]: unknown;
}

export interface SentBody {
  model: string;
  max_tokens: number;
  thinking: { type: string; budget_tokens?: number };
  system: SentBlock[];
  tools: { name: string; input_schema: { required: string[] }; cache_control?: unknown }[];
  messages: { role: string; content: SentBlock[] }[];
}

export function bodies({ requests }: MessagesApi): SentBody[] {
  return requests.map(({ body }) => body as SentBody);
}

/** The texts of the results in the last message of a request. */
export function resultTexts(body: SentBody | undefined): string[] {
  const content = body?.messages.at(-1)?.content ?? [];
  return content
    .filter(({ type }) => type === 'tool_result')
    .map((one) => (one.content ?? []).map(({ text }) => text).join('\n'));
}

export function lastText(body: SentBody | undefined): string {
  return body?.messages.at(-1)?.content.at(-1)?.text ?? '';
}
