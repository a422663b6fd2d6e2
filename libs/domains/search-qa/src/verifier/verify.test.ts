import type { RolloutEnd, Segment } from '@whale/contracts';
import { describe, expect, it } from 'vitest';
import { isCorrect, verifyAgainst, type AnswerKey } from './verify.ts';

const key: AnswerKey = {
  hops: 2,
  gold: ['Dask', 'Lord Dask'],
  evidence: [['Mavina lives in Tarvel.'], ['The mayor of Tarvel is Dask.']],
};
const task = { id: 't', split: 'test', input: { question: 'q' } } as const;
const rollout = (end: RolloutEnd, ...trajectory: Segment[]) => verifyAgainst(key, { task, end, trajectory });
const answered = (answer: string): RolloutEnd => ({ kind: 'answered', answer });

describe('exact match with aliases', () => {
  it.each(['Dask', 'dask.', ' DASK\n', 'the Dask', 'Lord Dask', '"Lord  Dask!"', 'Ｄａｓｋ'])(
    'accepts %j',
    (answer) => {
      expect(isCorrect(answer, key.gold)).toBe(true);
    },
  );

  it.each([
    ['an empty answer', ''],
    ['an article alone', 'the'],
    ['two candidates', 'Dask or Mirosh'],
    ['the right one twice', 'Dask, Dask'],
    ['both accepted forms at once', 'Dask / Lord Dask'],
    ['a sentence', 'The mayor of Tarvel is Dask.'],
    ['a prefix left on', 'answer: Dask'],
    ['a namesake', 'Young Dask'],
    ['a part of a name', 'Das'],
    ['a Cyrillic letter', 'D\u0430sk'],
    ['a combining mark', 'Da\u0301sk'],
    ['an invisible character inside', 'Da\u200bsk'],
    ['a name parted in two', 'Da sk'],
    ['a long answer that begins right', `Dask${' '.repeat(100_000)}`],
    ['a dump', Array.from({ length: 9000 }, (_, i) => `Name${i}`).join(' ') + ' Dask'],
    ['a template', '{{gold}}'],
  ])('refuses %s', (_, answer) => {
    expect(isCorrect(answer, key.gold)).toBe(false);
  });
});

describe('diagnostics', () => {
  const inner: Segment = { source: 'tool', text: '340: Mavina lives in Tarvel.' };
  const outer: Segment = {
    source: 'tool',
    text: '320: The mayor of New Tarvel is Ux.\n341: The mayor of Tarvel is Dask.',
  };
  const said = (text: string): Segment => ({ source: 'model', text });

  it('see format, both hops, retrieval and extraction in a good rollout', () => {
    const verdict = rollout(answered('Dask'), said('search: Mavina lives'), inner, said('search: Tarvel mayor'), outer);
    expect(verdict).toEqual({
      reward: 1,
      diagnostics: { format: true, retrieval: true, extraction: true, truncation: false, hops: 1 },
    });
  });

  it('leave extraction out where nothing was retrieved', () => {
    const { diagnostics } = rollout(answered('Dask'), inner, said('answer: Dask'));
    expect(diagnostics).toEqual({ format: true, retrieval: false, truncation: false, hops: 0.5 });
  });

  it('do not count what the model itself or the environment says as retrieved', () => {
    const { diagnostics } = rollout(answered('Dask'), said(outer.text), { source: 'env', text: outer.text });
    expect(diagnostics['retrieval']).toBe(false);
  });

  it.each([
    ['two lines', 'answer: Dask\nThe mayor of Tarvel is Dask.'],
    ['no prefix', 'Dask'],
    ['another prefix', 'query: Tarvel mayor'],
    ['nothing', ''],
  ])('call a turn of %s malformed', (_, text) => {
    expect(rollout(answered('Dask'), said(text)).diagnostics['format']).toBe(false);
  });

  it('judge the form of what was sampled, not of what the harness wrote in the name of the model', () => {
    const sampled: Segment = { source: 'model', text: 'answer: Dask', tokens: [1, 2] };
    expect(rollout(answered('Dask'), said('My notes'), sampled).diagnostics['format']).toBe(true);
  });

  it('call a truncated rollout truncated', () => {
    const verdict = rollout({ kind: 'truncated', reason: 'context' }, outer);
    expect(verdict.reward).toBe(0);
    expect(verdict.diagnostics).toMatchObject({ truncation: true, extraction: false });
  });
});
