import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Answers request number n, from 1, with the key that it came with. */
export type RawAnswer = (response: ServerResponse, key: string, n: number) => void;

/** A server that says what no Messages API says; the keys that it was shown, one a request. */
export async function rawServer(answer: RawAnswer): Promise<{ url: string; keys: readonly string[] }> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    const { authorization, 'x-api-key': key } = request.headers;
    keys.push(authorization?.replace('Bearer ', '') ?? String(key));
    request.resume().on('end', () => answer(response, keys.at(-1) ?? '', keys.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

/** A stream of these events, each with its `type`. */
export function streamOf(response: ServerResponse, events: readonly { type: string; [key: string]: unknown }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

const usage = { input_tokens: 10, output_tokens: 5 };

export const MESSAGE = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  usage,
};
export const START = { type: 'message_start', message: MESSAGE };

export function textBlock(index: number, text: string) {
  return [
    { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index },
  ];
}

/** `json` is the text of its input, whole or not. */
export function toolBlock(index: number, name: string, json: string) {
  return [
    { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} } },
    { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } },
    { type: 'content_block_stop', index },
  ];
}

export function endOfMessage(stopReason: string | null) {
  return [
    { type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}
