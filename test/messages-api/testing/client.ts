import Anthropic from '@anthropic-ai/sdk';
import { onTestFinished } from 'vitest';
import type { AssistantTurn } from '../brain.ts';
import { scripted } from '../brain.ts';
import { startMessagesApi, TEST_KEY, type MessagesApi, type MessagesApiOptions } from '../server.ts';

/** A server that ends with the test, and the real client on it. */
export async function serve(
  turns: readonly AssistantTurn[] | MessagesApiOptions['brain'],
  options: Omit<MessagesApiOptions, 'brain'> = {},
): Promise<{ api: MessagesApi; client: Anthropic }> {
  const brain = typeof turns === 'function' ? turns : scripted(turns);
  const api = await startMessagesApi({ brain, ...options });
  onTestFinished(() => api.close());
  return { api, client: clientOf(api) };
}

export function clientOf(api: MessagesApi, options: ConstructorParameters<typeof Anthropic>[0] = {}): Anthropic {
  return new Anthropic({ baseURL: api.url, apiKey: TEST_KEY, authToken: null, logLevel: 'off', ...options });
}

export const MODEL = 'claude-sonnet-4-6';

/** The least request, with more where a test says so. */
export function asking(
  more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
): Anthropic.MessageCreateParamsNonStreaming {
  return { model: MODEL, max_tokens: 4096, messages: [{ role: 'user', content: 'Go on.' }], ...more };
}

export const READ: Anthropic.Tool = {
  name: 'read_file',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

/** The answers to all calls of a message. */
export function results(message: Anthropic.Message, content = 'done'): Anthropic.MessageParam {
  return {
    role: 'user',
    content: message.content
      .filter((block) => block.type === 'tool_use')
      .map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content })),
  };
}
