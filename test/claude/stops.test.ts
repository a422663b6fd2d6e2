import type { JournalEntry } from '@whale/proposers';
import { describe, expect, it } from 'vitest';
import type { AssistantTurn } from '../messages-api/brain.ts';
import { faultsAt } from '../messages-api/faults.ts';
import { Host } from './support/host.ts';
import { claudeSpec, harness, proposalRequest, writing } from './support/request.ts';
import { bodies, claude, lastText, resultTexts, serve } from './support/serve.ts';
import { kinds } from './support/totals.ts';

const one: AssistantTurn = { calls: [writing(harness('two'))] };
const other: AssistantTurn = { calls: [writing(harness('three'))] };
const look: AssistantTurn = { calls: [{ name: 'read_file', input: { path: 'index.md' } }] };

describe('a reply without a call', () => {
  it('is answered once with what is missing', async () => {
    const api = await serve([one, { text: 'Done, I think.' }, other]);
    const host = new Host();
    expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toBeNull();
    expect(lastText(bodies(api)[2])).toMatch(/^1 of 2 candidates are valid\. Go on .*\n\[Left: 38 of 40 calls/u);
    expect(host.judged).toHaveLength(2);
  });

  it('ends the session when the next has none either; its words are the reason', async () => {
    const api = await serve([one, { text: 'Done.' }, { text: 'Nothing else is worth it.' }]);
    const host = new Host();
    const end = await host.run(claude(), proposalRequest(claudeSpec(api.url)));
    expect(end).toEqual({ reason: 'finished', message: 'the model stopped: Nothing else is worth it.' });
    expect(host.judged).toHaveLength(1);
  });

  it('does not end it when there was one between', async () => {
    const api = await serve([{ text: 'Hm.' }, look, { text: 'Hm.' }, one, { text: 'Hm.' }, other]);
    const host = new Host();
    expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toBeNull();
  });

  it('may be nothing but thinking, which is not sent back', async () => {
    const turns = [look, { thinking: 'And now?' }, { thinking: 'What?', ...one }, other];
    // Said by their number: the second leaves no trace in the conversation.
    const api = await serve(() => turns[api.requests.length - 1] as AssistantTurn);
    const host = new Host();
    expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toBeNull();
    expect(bodies(api)[2]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(lastText(bodies(api)[2])).toContain('0 of 2 candidates are valid.');
  });
});

it('C4 an input that was cut is not run; the model is told, and the calls before it are run', async () => {
  const turn = { calls: [writing(harness('two')), writing(harness('x'.repeat(4_000)))] };
  const api = await serve([turn, other], faultsAt({ 1: { kind: 'max-tokens' } }));
  const host = new Host();
  expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toBeNull();
  expect(host.judged.map(({ draft }) => draft.source)).toEqual([harness('two'), harness('three')]);
  const texts = resultTexts(bodies(api)[1]);
  expect(texts[0]).toContain('is a valid candidate');
  expect(texts[1]).toContain('reached its limit of tokens inside this call, so write_candidate was not run.');
});

it('a reply that was cut before any call is answered with advice', async () => {
  const api = await serve(
    [{ text: 'Let me think. '.repeat(100) }, one, other],
    faultsAt({ 1: { kind: 'max-tokens' } }),
  );
  const host = new Host();
  expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toBeNull();
  expect(lastText(bodies(api)[1])).toContain('reached its limit of tokens before it called a tool');
});

it('a refusal ends the session with its reasons, and what is written counts', async () => {
  const api = await serve([one, look, other], faultsAt({ 2: { kind: 'refusal' } }));
  const host = new Host();
  const end = await host.run(claude(), proposalRequest(claudeSpec(api.url)));
  expect(end?.reason).toBe('finished');
  expect(end?.message).toMatch(/^the model refused to go on/u);
  expect(host.judged).toHaveLength(1);
  expect(kinds(host.entries)).toBe('begun call tool begun call');
  // The same is said after a kill.
  expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toEqual(end);
  expect(api.requests).toHaveLength(2);
});

it('a paused turn is sent back as it is, and goes on', async () => {
  const model = 'claude-haiku-4-5';
  const api = await serve([{ text: 'One moment', stop: 'pause_turn' }, one, other]);
  const host = new Host();
  expect(await host.run(claude(), proposalRequest(claudeSpec(api.url, { model, thinking: 'off' })))).toBeNull();
  expect(bodies(api)[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

it('a prompt that does not fit the model ends the session, and what is written counts', async () => {
  const model = 'claude-haiku-4-5';
  const calls = Array.from({ length: 14 }, () => ({ name: 'read_file', input: { path: 'large.txt' } }));
  const api = await serve([one, { calls }, other]);
  const host = new Host({ 'large.txt': 'x'.repeat(70_000) });
  const end = await host.run(claude(), proposalRequest(claudeSpec(api.url, { model, thinking: 'off' })));
  expect(end).toEqual({
    reason: 'finished',
    message: 'the conversation no longer fits the context window of the model',
  });
  expect(host.judged).toHaveLength(1);
  expect(lost(host.entries)).toMatchObject([{ reason: expect.stringContaining('prompt is too long'), usd: 0 }]);
});

it('a stop of the service ends the session at once, whatever it waits for', async () => {
  const api = await serve([look, one], faultsAt({ 2: { kind: 'slow', silenceMilliseconds: 1e6, pings: 1e5 } }));
  const host = new Host();
  const running = host.run(claude(), proposalRequest(claudeSpec(api.url)));
  while (api.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  host.stop.abort(new Error('the service stops'));
  await expect(running).rejects.toThrow('the service stops');
  expect(kinds(host.entries)).toBe('begun call tool begun');
});

function lost(entries: readonly JournalEntry[]) {
  return entries.flatMap((entry) => (entry.kind === 'step' && entry.step.kind === 'call-lost' ? [entry.step] : []));
}
