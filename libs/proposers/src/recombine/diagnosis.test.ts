import type { Diagnostics, Outcome } from '@whale/contracts';
import { describe, expect, it } from 'vitest';
import { diagnose } from './diagnosis.ts';

const task = (outcome: Outcome, diagnostics: Diagnostics) => ({ taskId: 't', rolloutId: 'r', outcome, diagnostics });
const lackOf = (tasks: ReturnType<typeof task>[], name: string) => {
  return diagnose(tasks, tasks).lacks.find((lack) => lack.name === name);
};

describe('the diagnosis of failures', () => {
  const tasks = [
    task('correct', { retrieval: true, truncation: false, hops: 1, note: 'x' }),
    task('correct', { retrieval: true, truncation: false, hops: 1 }),
    task('incorrect', { retrieval: false, truncation: false, hops: 0.5 }),
    task('incorrect', { retrieval: true, truncation: false, hops: 1, extraction: false }),
    task('truncated', { retrieval: false, truncation: true, hops: 0 }),
    task('infrastructure_error', { retrieval: false }),
  ];

  it('counts the measured failures that lack a capability', () => {
    expect(diagnose(tasks, tasks)).toMatchObject({ correct: 2, measured: 5 });
    expect(lackOf(tasks, 'retrieval')).toMatchObject({ lacking: 2, failures: 3, isFault: false });
    expect(lackOf(tasks, 'hops')).toMatchObject({ lacking: 2, failures: 3 });
    expect(lackOf(tasks, 'extraction')).toMatchObject({ lacking: 1 });
    expect(lackOf(tasks, 'note')).toMatchObject({ lacking: 0 });
  });

  it('learns from the outcomes that truncation is a fault', () => {
    expect(lackOf(tasks, 'truncation')).toMatchObject({ lacking: 1, isFault: true });
  });

  it('gives no weight to what successes lack as well', () => {
    const same = [task('correct', { format: false }), task('incorrect', { format: false })];
    expect(lackOf(same, 'format')).toMatchObject({ lacking: 1, excess: 0 });
  });

  it('takes true as good where nothing came out correct', () => {
    const none = [task('incorrect', { retrieval: false, truncation: false })];
    expect(lackOf(none, 'retrieval')).toMatchObject({ lacking: 1 });
    expect(lackOf(none, 'truncation')).toMatchObject({ lacking: 0 });
  });
});
