import { rng, sha256 } from '@whale/kernel';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AssistantTurn } from '../messages-api/brain.ts';
import { scripted } from '../messages-api/brain.ts';
import { faultsAt } from '../messages-api/faults.ts';
import { startMessagesApi, type RecordedRequest } from '../messages-api/server.ts';
import { Host, Killed } from './support/host.ts';
import { broken, claudeSpec, H0, harness, proposalRequest, writing } from './support/request.ts';
import { claude, type SentBody } from './support/serve.ts';
import { billed, counted } from './support/totals.ts';

const parent = sha256(H0);
const SCRIPT: readonly AssistantTurn[] = [
  {
    thinking: 'Look first.',
    calls: [
      { name: 'read_file', input: { path: 'index.md' } },
      { name: 'read_file', input: { path: 'history.jsonl' } },
    ],
  },
  { text: 'What remains?' },
  { thinking: 'Two at once.', calls: [writing(broken('two')), writing(harness('two'))] },
  {
    calls: [
      { name: 'try_candidate', input: { source: harness('three'), parent, task_ids: ['h1'] } },
      writing(harness('two')),
    ],
  },
  { thinking: 'And the last.', calls: [writing(harness('three'))] },
];

interface Batch {
  host: Host;
  requests: readonly RecordedRequest[];
}

/** A batch whose process dies at each of the points in turn, counted from where it started; then one that lives. */
async function batch(deaths: readonly number[]): Promise<Batch> {
  const api = await startMessagesApi({ brain: scripted(SCRIPT), faults: faultsAt({ 3: { kind: 'error-event' } }) });
  const host = new Host();
  const request = proposalRequest(claudeSpec(api.url));
  for (const death of deaths) {
    host.points = 0;
    host.dieAt = death;
    const error = await host.run(claude(), request).catch((caught: unknown) => caught);
    // The one before left less to do than there are points.
    if (!(error instanceof Killed)) break;
  }
  host.dieAt = Infinity;
  if (!isFull(host)) await host.run(claude(), request);
  await api.close();
  return { host, requests: api.requests };
}

const isFull = (host: Host): boolean => host.judged.filter(({ rejection }) => rejection === null).length === 2;

/** What was said, without what was left at that time; the ids of calls follow from what was said. */
function said({ requests }: Batch): string {
  const { messages } = requests.at(-1)?.body as SentBody;
  const ids = new Map<string, string>();
  return JSON.stringify(messages)
    .replaceAll(/\[Left: [^\]]*\][^"]*/gu, '')
    .replaceAll(/toolu_\w+/gu, (id) => ids.get(id) ?? ids.set(id, `call-${ids.size}`).get(id) ?? id);
}

let undisturbed: Batch;
beforeAll(async () => {
  undisturbed = await batch([]);
});

function check({ host, requests }: Batch, deaths: number): void {
  const { host: calm } = undisturbed;
  expect(host.judged).toEqual(calm.judged);
  expect(said({ host, requests })).toBe(said(undisturbed));
  const { entries } = host;
  const begun = entries.filter(({ kind }) => kind === 'call-begun');
  const settled = entries.filter((entry) => entry.kind === 'step' && entry.step.kind !== 'tool');
  expect(settled).toHaveLength(begun.length);
  const [mine, theirs] = [counted(entries), billed(requests)];
  expect(mine.tokens).toBeGreaterThanOrEqual(theirs.tokens);
  expect(mine.usd).toBeGreaterThanOrEqual(theirs.usd - 1e-9);
  // Only the call that a process died in is made again.
  expect(requests.length - undisturbed.requests.length).toBeLessThanOrEqual(deaths);
  // Not one dollar twice: what was answered is counted as it was billed.
  const answered = entries.filter((entry) => entry.kind === 'step' && entry.step.kind === 'call');
  expect(counted(answered).usd).toBeLessThanOrEqual(theirs.usd + 1e-9);
}

describe('C1 C2 C3 a batch that is killed at any point ends as one that is not', () => {
  it('undisturbed it has two candidates and one lost call', () => {
    expect(undisturbed.host.judged.map(({ rejection }) => rejection?.stage)).toEqual(['types', undefined, undefined]);
    check(undisturbed, 0);
  });

  it('killed once, at each point', async () => {
    const { points } = undisturbed.host;
    expect(points).toBeGreaterThan(40);
    for (let death = 0; death < points; death++) check(await batch([death]), 1);
  }, 120_000);

  it('killed again and again', async () => {
    const random = rng('deaths');
    for (let trial = 0; trial < 12; trial++) {
      const deaths = Array.from({ length: 2 + random.int(4) }, () => random.int(20));
      check(await batch(deaths), deaths.length);
    }
  }, 120_000);
});

it('C2 a tool whose result is on record is not run again', async () => {
  const { points, asked } = undisturbed.host;
  const { host } = await batch([points - 2]);
  expect(asked.filter((one) => one.startsWith('try'))).toHaveLength(1);
  expect(host.asked).toEqual(asked);
});

it('C1 what is written down before a call bounds what it costs', () => {
  const { entries } = undisturbed.host;
  for (const [place, entry] of entries.entries()) {
    if (entry.kind !== 'step' || entry.step.kind === 'tool') continue;
    const begun = entries[place - 1];
    expect(begun).toMatchObject({ kind: 'call-begun', turn: entry.step.turn });
    expect(entry.step.usd).toBeLessThanOrEqual((begun as { usd: number }).usd);
  }
});

it('a call that nobody saw the end of is counted once, at the most that it can have cost', async () => {
  const { host } = await batch([1, 0, 3]);
  const [begun, lost] = host.entries;
  expect(begun).toMatchObject({ kind: 'call-begun', turn: 1 });
  expect(lost).toMatchObject({
    step: {
      kind: 'call-lost',
      turn: 1,
      reason: 'the process ended before the reply was on record',
      usd: (begun as { usd: number }).usd,
    },
  });
});
