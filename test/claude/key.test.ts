import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Host } from './support/host.ts';
import {
  endOfMessage,
  rawServer,
  START,
  streamOf,
  textBlock,
  toolBlock,
  type RawAnswer,
} from './support/raw-server.ts';
import { claudeSpec, proposalRequest } from './support/request.ts';
import { claude } from './support/serve.ts';

const KEY = 'sk-ant-api03-planted-canary-0123456789';

let written = '';
beforeEach(() => {
  written = '';
  const keep = (chunk: unknown): boolean => {
    written += String(chunk);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...values: unknown[]) => void keep(inspect(values)));
  }
  // The client would write requests to the console.
  vi.stubEnv('ANTHROPIC_LOG', 'debug');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const error =
  (status: number): RawAnswer =>
  (response, key) => {
    const error = { type: 'authentication_error', message: `no such key: ${key}` };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
  };

const raw = (response: ServerResponse, status: number, type: string, text: string): void => {
  response.writeHead(status, { 'content-type': type }).end(text);
};

/** A server that repeats the key in all that it says. */
it.each<[string, RawAnswer, string]>([
  ['an error that lasts', error(401), '[key]'],
  ['an error that passes', error(500), '[key]'],
  ['a page', (response, key) => raw(response, 502, 'text/html', `<p>${key}</p>`), '[key]'],
  [
    'an error in the stream',
    (response, key) => streamOf(response, [START, { type: 'error', error: { type: 'api_error', message: key } }]),
    '[key]',
  ],
  [
    'an event that is no JSON',
    (response, key) => raw(response, 200, 'text/event-stream', `event: message_start\ndata: {${key}\n\n`),
    'an event of the stream is no JSON',
  ],
  [
    'a reply',
    (response, key) =>
      streamOf(response, [
        START,
        ...textBlock(0, `Your key is ${key}.`),
        ...toolBlock(1, 'read_file', JSON.stringify({ path: key })),
        ...endOfMessage('tool_use'),
      ]),
    '[key]',
  ],
])('C5 the key is nowhere, though the server says it in %s', async (_, answer, instead) => {
  const { url, keys } = await rawServer(answer);
  const host = new Host();
  const request = proposalRequest(claudeSpec(url, { limits: { turns: 2 } }));
  const outcome = await host.run(claude(KEY), request).catch((caught: unknown) => caught);
  expect(new Set(keys)).toEqual(new Set([KEY]));
  expect(host.journal.length).toBeGreaterThan(1);
  const told = [
    host.journal.join('\n'),
    inspect(host.judged),
    inspect(outcome, { depth: 20, showHidden: true }),
    written,
  ];
  for (const text of told) expect(text).not.toContain(KEY);
  expect(told.join('\n')).toContain(instead);
});
