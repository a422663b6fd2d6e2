import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import Anthropic from '@anthropic-ai/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { asking, serve } from './testing/client.ts';

const COMMAND = ['--import', 'tsx', 'test/messages-api/serve.ts'];

it('the server by hand prints what a spec needs, and answers', async () => {
  const server = spawn(process.execPath, [...COMMAND, '0']);
  onTestFinished(() => void server.kill());
  const lines: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    lines.push(line);
    if (line.startsWith('Then: ')) break;
  }
  const text = lines.join('\n');
  const baseURL = /baseUrl: (http:\S+)/u.exec(text)?.[1];
  const apiKey = /ANTHROPIC_API_KEY=(\S+)/u.exec(text)?.[1];
  expect(text).toContain('kind: claude');
  const client = new Anthropic({ baseURL, apiKey, maxRetries: 0, logLevel: 'off' });
  const tools: Anthropic.Tool[] = [{ name: 'read_file', input_schema: { type: 'object' } }];
  const message = await client.messages.stream(asking({ tools })).finalMessage();
  expect(message.content.filter(({ type }) => type === 'tool_use').length).toBeGreaterThan(2);
});

it('the server by hand says what is wrong with its port', async () => {
  const { api } = await serve([]);
  const { port } = new URL(api.url);
  const taken = spawnSync(process.execPath, [...COMMAND, port]);
  expect([taken.status, String(taken.stderr)]).toEqual([3, expect.stringContaining(`Port ${port} cannot be used`)]);
  const none = spawnSync(process.execPath, [...COMMAND, 'seventy']);
  expect([none.status, String(none.stderr)]).toEqual([2, expect.stringContaining('not seventy')]);
});
