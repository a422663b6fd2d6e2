import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import Anthropic from '@anthropic-ai/sdk';
import { onTestFinished, expect, it } from 'vitest';
import { asking } from './testing/client.ts';

it('the server by hand prints what a spec needs, and answers', async () => {
  const server = spawn(process.execPath, ['--import', 'tsx', 'test/messages-api/serve.ts', '0']);
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
