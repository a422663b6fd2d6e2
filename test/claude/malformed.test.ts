import { expect, it } from 'vitest';
import { Host } from './support/host.ts';
import { endOfMessage, MESSAGE, rawServer, START, streamOf, textBlock, toolBlock } from './support/raw-server.ts';
import { claudeSpec, harness, proposalRequest, writing } from './support/request.ts';
import { claude } from './support/serve.ts';
import { kinds } from './support/totals.ts';

const input = (mark: string): string => JSON.stringify(writing(harness(mark)).input);
const whole = [START, ...toolBlock(0, 'write_candidate', input('two')), ...endOfMessage('tool_use')];

it.each([
  [
    'a tool whose input breaks off',
    [START, ...toolBlock(0, 'write_candidate', input('x').slice(0, -20)), ...endOfMessage('tool_use')],
  ],
  ['a tool whose input is no object', [START, ...toolBlock(0, 'read_file', '"index.md"'), ...endOfMessage('tool_use')]],
  [
    'a tool whose input is cut and no object',
    [START, ...toolBlock(0, 'read_file', '["index'), ...endOfMessage('max_tokens')],
  ],
  ['no reason why it stopped', [START, ...textBlock(0, 'Hm.'), ...endOfMessage(null)]],
  [
    'no count of its tokens',
    [{ ...START, message: { ...MESSAGE, usage: {} } }, ...textBlock(0, 'Hm.'), ...endOfMessage('end_turn')],
  ],
  ['content that is no list', [{ ...START, message: { ...MESSAGE, content: 'Hm.' } }, ...endOfMessage('end_turn')]],
])('a reply with %s is asked for again, and nothing of it is used', async (_, events) => {
  const { url } = await rawServer((response, _key, n) => streamOf(response, n === 1 ? events : whole));
  const host = new Host();
  expect(await host.run(claude(), proposalRequest(claudeSpec(url), { count: 1 }))).toBeNull();
  expect(kinds(host.entries)).toBe('begun call-lost begun call');
  expect(host.judged.map(({ draft }) => draft.source)).toEqual([harness('two')]);
});

it('C4 what was said whole before the context window was full is run, and the session ends', async () => {
  const { url, keys } = await rawServer((response) =>
    streamOf(response, [
      START,
      ...toolBlock(0, 'write_candidate', input('two')),
      ...toolBlock(1, 'write_candidate', input('three').slice(0, -30)),
      ...endOfMessage('model_context_window_exceeded'),
    ]),
  );
  const host = new Host();
  const request = proposalRequest(claudeSpec(url));
  const end = { reason: 'finished', message: 'the conversation fills the context window of the model' };
  expect(await host.run(claude(), request)).toEqual(end);
  expect(host.judged.map(({ draft }) => draft.source)).toEqual([harness('two')]);
  expect(await host.run(claude(), request)).toEqual(end);
  expect(keys).toHaveLength(1);
});

it('a refusal is told with its reasons', async () => {
  const details = { type: 'refusal', category: 'cyber', explanation: 'No.' };
  const { url } = await rawServer((response) =>
    streamOf(response, [
      START,
      ...toolBlock(0, 'write_candidate', input('two')),
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: details }, usage: MESSAGE.usage },
      { type: 'message_stop' },
    ]),
  );
  const host = new Host();
  const end = await host.run(claude(), proposalRequest(claudeSpec(url)));
  expect(end).toEqual({ reason: 'finished', message: 'the model refused to go on (cyber: No.)' });
  expect(host.judged).toEqual([]);
});

it('C4 a tool that is not there is answered with those that are', async () => {
  const { url } = await rawServer((response, _key, n) => {
    if (n > 1) return streamOf(response, whole);
    return streamOf(response, [START, ...toolBlock(0, 'bash', '{"command":"ls"}'), ...endOfMessage('tool_use')]);
  });
  const host = new Host();
  expect(await host.run(claude(), proposalRequest(claudeSpec(url), { count: 1 }))).toBeNull();
  expect(host.entries[2]).toMatchObject({
    step: {
      tool: 'bash',
      error: expect.stringMatching(/^There is no tool bash: there are list_files, .*write_candidate\.$/u),
    },
  });
});
