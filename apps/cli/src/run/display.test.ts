import { beforeAll, describe, expect, it } from 'vitest';
import type { ProposalStep, VerificationFailed } from '@whale/contracts';
import { ExperimentFold, viewOf } from '@whale/experiment-view';
import { scriptedExperiment, type ScriptedExperiment } from '@whale/experiment-view/support';
import { paint } from '../print/paint.ts';
import { headline, resultText } from '../print/result.ts';
import { canRedraw, PlainDisplay } from './display.ts';
import { frame } from './frame.ts';
import { milestone } from './milestones.ts';
import { Pace, progressOf } from './progress.ts';

const HOSTILE = 'Short\u001b[2J queries\r\nfind\u202e more pages and ' + 'x'.repeat(300);

let experiment: ScriptedExperiment;
beforeAll(async () => {
  experiment = await scriptedExperiment({ script: { hypothesis: () => HOSTILE } });
});

describe('the lines of a run', () => {
  it('tell each thing that matters once, in order', () => {
    const view = viewOf(experiment.experimentId, experiment.events);
    const lines = experiment.events.flatMap(({ event }) => milestone(event, view)?.text ?? []);
    const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    expect(count(/^cycle \d: weight phase, 12 prompts$/)).toBe(2);
    expect(count(/^step \d: reward 0\.\d{3}, \d+ of 16 rollouts accepted, loss /)).toBe(6);
    expect(count(/^(test|validation) accuracy .*% \[.*\] n=/)).toBe(2 * view.pairs.length);
    expect(count(/^✓ accepted/)).toBe(view.archive.filter((entry) => entry.accepted).length);
    expect(count(/^· candidate/)).toBe(view.archive.filter((entry) => !entry.accepted && entry.iteration > 0).length);
    expect(count(/^✗ candidate rejected \(types, line 2\): Property/)).toBe(view.rejected.length);
    expect(count(/phase over after .*: fixed budget done/)).toBe(4);
    expect(lines.at(-1)).toBe('completed: all phases done');
  });

  it('say that a batch is short, and why, unless nothing came of it', () => {
    const view = viewOf(experiment.experimentId, experiment.events);
    const line = (ended: Partial<Extract<ProposalStep, { kind: 'ended' }>>) => {
      const step = {
        kind: 'ended',
        reason: 'finished',
        message: null,
        wanted: 3,
        written: 4,
        valid: 2,
        ...ended,
      } as const;
      const about = { experimentId: view.experimentId, iterationId: 'i', attempt: 1, sequence: 9, proposer: 'claude' };
      const totals = { calls: 0, tokens: 0, usd: 0, bytesRead: 0 };
      return milestone({ type: 'whale.proposal.audited.v1', data: { ...about, step, totals } }, view)?.text;
    };
    expect(line({})).toBe('only 2 of 3 candidates, 4 written');
    expect(line({ reason: 'usd', message: 'a call may\nexceed $2' })).toBe(
      'only 2 of 3 candidates, 4 written, stopped (usd): a call may exceed $2',
    );
    expect(line({ valid: 0 })).toBeUndefined();
    expect(line({ valid: 3 })).toBeUndefined();
  });

  it('never carry control characters of what a model wrote', () => {
    const view = viewOf(experiment.experimentId, experiment.events);
    const text = experiment.events.map(({ event }) => milestone(event, view)?.text ?? '').join('');
    expect(text).toContain('Short [2J queries find more');
    expect(text).not.toMatch(/[\u0000-\u001f\u202a-\u202e]/);
  });
});

describe('a display of lines', () => {
  it('writes one line for one thing, whatever its text holds', () => {
    const view = viewOf(experiment.experimentId, experiment.events);
    const lines: string[] = [];
    const display = new PlainDisplay((line) => lines.push(line));
    const failed: VerificationFailed['data'] = {
      experimentId: view.experimentId,
      rolloutId: 'r',
      attempt: 1,
      group: { id: 'g', purpose: 'evaluation' },
      taskId: 'task\n0:00  a\u001b[2Jb',
      sampleIndex: 0,
      error: { code: 'X', message: 'first\nsecond', retryable: false },
      tokens: { prompt: 0, sampled: 0 },
    };
    display.update([{ type: 'whale.verification.failed.v1', data: failed }], view);
    const ended = experiment.events.at(-1)?.event;
    if (ended?.type !== 'whale.experiment.ended.v1') throw new Error('no end');
    display.update([{ ...ended, data: { ...ended.data, status: 'failed', reason: 'one\ntwo' } }], view);
    display.trouble('three\nfour');
    display.note('five\r\nsix');
    expect(lines.map((line) => line.trim())).toEqual([
      '0:00  a rollout of task 0:00 a [2Jb could not be judged: first second',
      '0:00  failed: one two',
      '0:00  (three four)',
      '0:00  five six',
    ]);
  });

  it.each([
    [{ isTTY: true, columns: 80, rows: 24 }, 'xterm', true],
    [{ isTTY: true, columns: 80, rows: 24 }, 'dumb', false],
    [{ isTTY: true, columns: 0, rows: 24 }, 'xterm', false],
    [{ isTTY: true, columns: 80, rows: 0 }, 'xterm', false],
    [{ isTTY: true }, 'xterm', false],
    [{ columns: 80, rows: 24 }, 'xterm', false],
  ])('is what there is unless a terminal says its size: %j, TERM=%s', (stream, term, redrawn) => {
    expect(canRedraw(stream, { TERM: term })).toBe(redrawn);
  });
});

describe('the live frame', () => {
  const plain = paint({ isTTY: false });

  it.each([
    [20, 4],
    [50, 12],
    [80, 24],
    [200, 50],
  ])('fits a terminal of %i by %i at every moment', (columns, rows) => {
    const fold = new ExperimentFold(experiment.experimentId);
    const pace = new Pace();
    experiment.events.forEach((seen, i) => {
      fold.take(seen);
      if (i % 25 !== 0) return;
      const lines = frame({ view: fold.view(), pace, now: i * 100, startedAt: 0, columns, rows, paint: plain });
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 2));
      for (const line of lines) expect([...line].length).toBeLessThan(columns);
    });
  });

  it('shows phase, bar, reward, archive, test, speed and ledger', async () => {
    const part = await scriptedExperiment({ stopAfter: 1500 });
    const view = viewOf(part.experimentId, part.events);
    const pace = new Pace();
    const at = (now: number) =>
      frame({ view, pace, now, startedAt: 0, columns: 120, rows: 24, paint: plain }).join('\n');
    at(0);
    const text = at(5_000);
    expect(text).toMatch(/scripted-\w{8} {2}fixed {2}0:05/);
    expect(text).toMatch(/evaluation on|cycle \d of 2, (weight|harness) phase/);
    expect(text).toMatch(/[█░]+ +\d+\.\d%/);
    expect(text).toMatch(/reward +[▁▂▃▄▅▆▇█]+ {2}0\.\d\d → 0\.\d\d over \d+ steps/);
    expect(text).toMatch(/archive .*best \d+\.\d% \(\w{8}\), began at/);
    expect(text).toMatch(/test +\d+\.\d%/);
    expect(text).toMatch(/rollouts +\d+ weight, \d+ harness, \d+ evaluation +\d+\/s/);
    expect(text).toMatch(/tokens .*sampled, .*trained/);
  });

  it('says how much is left from the speed so far, and nothing too early', () => {
    const pace = new Pace();
    const at = (fraction: number) => ({ label: '', detail: '', key: 'a', fraction, atMost: false });
    expect(pace.left(at(0.2), 0)).toBeNull();
    expect(pace.left(at(0.21), 900)).toBeNull();
    expect(pace.left(at(0.6), 10_000)).toBeCloseTo(10);
    expect(pace.left({ ...at(0), key: 'b' }, 10_000)).toBeNull();
  });

  it('lets the bar of a phase only grow, up to its end', () => {
    const fold = new ExperimentFold(experiment.experimentId);
    const reached = new Map<string, number>();
    for (const seen of experiment.events) {
      fold.take(seen);
      const { key, fraction } = progressOf(fold.view());
      if (fraction === null) continue;
      expect(fraction).toBeGreaterThanOrEqual(reached.get(key) ?? 0);
      expect(fraction).toBeLessThanOrEqual(1);
      reached.set(key, fraction);
    }
    const phases = fold.view().phases.map((phase) => reached.get(phase.phaseId) ?? 0);
    expect(Math.min(...phases)).toBeGreaterThan(0.79);
  });
});

describe('the result', () => {
  it('tells why an experiment failed in one line', () => {
    const view = viewOf(experiment.experimentId, []);
    expect(headline({ ...view, status: 'failed', reason: 'one\ntwo' })).toMatch(
      /^The experiment failed \(one two\); .*$/,
    );
  });

  it('begins with a sentence, fits 80 columns and labels what was chosen on test', () => {
    const text = resultText(viewOf(experiment.experimentId, experiment.events), paint({ isTTY: false }));
    expect(text).toMatch(/^Test accuracy rose from \d+\.\d% to \d+\.\d% \(the 95% intervals lie apart\)\./);
    expect(text).toMatch(/best pair +w\d+ +\w{8} +\d+\.\d% \[\d+\.\d, \d+\.\d\] n=\d+/);
    expect(text).toContain('chosen on test itself, so optimistic');
    expect(text).toMatch(/1 weight +3 steps, 1\.00 epochs +48 .*→.*[+−]\d/);
    expect(Math.max(...text.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(84);
  });

  it('does not claim what the numbers do not say', async () => {
    const same = await scriptedExperiment({ script: { skill: () => 0.5 } });
    const text = resultText(viewOf(same.experimentId, same.events), paint({ isTTY: false }));
    expect(text).toMatch(/stays at|overlap, so it may be chance/);
    const failed = await scriptedExperiment({ script: { infrastructure: 1 } });
    const view = viewOf(failed.experimentId, failed.events);
    expect(view.status).toBe('failed');
    expect(resultText(view, paint({ isTTY: false }))).toMatch(/^The experiment failed \(.*could be measured\)/);
  });
});
