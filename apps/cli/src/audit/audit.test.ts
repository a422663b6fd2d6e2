import { join } from 'node:path';
import type { AnyEvent, EventEnvelope, ProposalStep } from '@whale/contracts';
import { sha256 } from '@whale/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedData, type ScriptedData } from '../support/scripted-data.ts';
import { scratchFolder, whale } from '../support/whale-process.ts';
import { auditedSessions, type AuditedSession } from './sessions.ts';
import { auditText } from './text.ts';

const scratch = scratchFolder('audit');
const data = join(scratch.path, 'data');
const plain = join(scratch.path, 'plain');
let experiment: ScriptedData;

beforeAll(async () => {
  experiment = await scriptedData(data, { script: { audited: true } });
  await scriptedData(plain);
});
afterAll(() => scratch.remove());

const content = { uri: `blob:sha256/${sha256('x')}`, sha256: sha256('x'), bytes: 1 };
const usage = { input: 900, output: 100, cacheWrite: 0, cacheRead: 0 };
const harness = { id: sha256('harness'), uri: 'blob:x', bytes: 7 };
const STEPS: ProposalStep[] = [
  { kind: 'call', turn: 1, model: 'claude-x', stopReason: 'tool_use', usage, usd: 0.25, content },
  {
    ...{ kind: 'tool', turn: 1, tool: 'grep', input: 'unknown b', bytes: 2_048, error: null, content },
    paths: ['a', 'b', 'c', 'd', 'e', 'f'],
  },
  {
    kind: 'tool',
    turn: 1,
    tool: 'read_file',
    input: '../x',
    paths: [],
    bytes: 12,
    error: 'outside\nthe workspace',
    content,
  },
  { kind: 'candidate', number: 1, harness, rejection: { stage: 'types', message: 'no such name', line: 12 } },
  { kind: 'tool', turn: 1, tool: 'write_candidate', input: '{}', paths: [], bytes: 9, error: null, content },
  { kind: 'call-lost', turn: 2, model: 'claude-x', reason: 'killed', usage, usd: 0.5 },
  { kind: 'candidate', number: 2, harness, rejection: null },
  { kind: 'ended', reason: 'usd', message: 'the next call may cost too much', wanted: 3, written: 2, valid: 1 },
];

function session(steps: readonly ProposalStep[], extra: Partial<AuditedSession> = {}): AuditedSession {
  const place = { iteration: 4, cycle: 2, iterationOfCycle: 1, attempt: 2, request: 5, proposer: 'claude' };
  return {
    ...{ ...place, wanted: 3, valid: 1, ...extra },
    steps: steps.map((step, i) => {
      const totals = { calls: i, tokens: 1_000 * (i + 1), usd: 0.25 * (i + 1), bytesRead: 0 };
      return { sequence: i + 1, time: '2026-01-01T00:00:00.000Z', step, totals };
    }),
  };
}

describe('the text of an audit', () => {
  it('tells each step with what was read, and tokens and dollars by then', () => {
    expect(auditText([session(STEPS)]).split('\n')).toEqual([
      'iteration 4 (cycle 2, number 1), attempt 2: claude, 1 of 3 candidates, from the workspace at 5',
      expect.stringMatching(/^ {2}turn {2}step +bytes +tokens +USD$/u),
      expect.stringMatching(/^ {5}1 {2}claude-x: tool_use +1,000 {2}0\.2500$/u),
      expect.stringMatching(/^ {5}1 {2}grep unknown b \[a, c, d, e and 1 more\] +2,048$/u),
      expect.stringMatching(/^ {5}1 {2}read_file \.\.\/x, refused: outside the workspace +12$/u),
      expect.stringMatching(/^ {5}1 {2}write_candidate \{\} +9$/u),
      expect.stringMatching(/candidate 1 \([0-9a-f]{8}\): rejected at types, line 12: no such name$/u),
      expect.stringMatching(
        /^ {5}2 {2}claude-x: the answer was lost \(killed\); counted as the most.* {2}6,000 {2}1\.5000$/u,
      ),
      expect.stringMatching(/candidate 2 \([0-9a-f]{8}\): valid$/u),
      expect.stringMatching(/ended: usd; 1 of 3 valid, 2 written; the next call may cost too much +8,000 {2}2\.0000$/u),
    ]);
  });

  it('says of a session without steps why there are none, and of one that goes on what is asked for', () => {
    const text = auditText([session([], { attempt: 1, proposer: 'recombine' }), session(STEPS, { valid: null })]);
    expect(text).toContain('recombine, 1 of 3 candidates');
    expect(text).toContain('no steps: recombine asks no model and reads no file');
    expect(text).toContain('claude, 3 candidates asked for');
    expect(auditText([session([], { valid: null })])).toContain('no step yet');
    expect(auditText([session([], { proposer: 'my\nown' })]).split('\n')).toHaveLength(2);
  });
});

describe('the sessions of an experiment', () => {
  const envelopes = (events: readonly AnyEvent[]) => events.map((event) => ({ event, time: 't' }) as EventEnvelope);

  it('are counted over cycles and attempts, each step once and in order, whatever the order of the log', () => {
    const events = experiment.events.map(({ event }) => event);
    const sessions = auditedSessions(envelopes([...events, ...events].reverse()).reverse());
    const asked = events.filter(({ type }) => type === 'whale.candidates.requested.v2');
    expect(sessions.map(({ request }) => request)).toEqual(asked.map((_, i) => i + 1));
    expect(sessions.every(({ steps }) => steps.map(({ sequence }) => sequence).join() === '1,2')).toBe(true);
    expect(sessions.at(-1)?.cycle).toBe(2);
    expect(sessions.every(({ valid, wanted }) => valid !== null && valid <= wanted)).toBe(true);
  });
});

describe('whale audit', () => {
  it('lists the sessions, as text and as JSON, and one iteration alone', async () => {
    const { code, stdout, stderr } = await whale(['audit', '--data', data]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^iteration 1 \(cycle 1, number 1\): recombine, \d of 3 candidates, from the workspace at 1$/mu,
    );
    expect(stdout).toMatch(/ended: finished/u);
    const { stdout: json } = await whale(['audit', '--json', '--iteration', '2', '--data', data]);
    const sessions = JSON.parse(json) as AuditedSession[];
    expect(sessions.map(({ iteration }) => iteration)).toEqual([2]);
    expect(sessions[0]?.steps.map(({ step }) => step.kind)).toEqual(['call', 'ended']);
  });

  it('names the iterations that there are', async () => {
    const { code, stderr } = await whale(['audit', '--iteration', '99', '--data', data]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no iteration 99: there are 1 to \d/u);
  });

  it('says so where nothing is audited', async () => {
    expect((await whale(['audit', '--data', plain])).stdout).toContain('no steps: recombine');
  });
});
