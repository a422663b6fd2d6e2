import type { Message } from '@whale/contracts';
import type { Generation } from '@whale/policy';
import { describe, expect, it } from 'vitest';
import { TrajectoryRecorder } from './trajectory.ts';

const said = (text: string, promptTokens: number[], tokens: number[]): Generation => ({
  text,
  finish: 'stop',
  promptTokens,
  tokens,
});
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

describe('trajectory recorder', () => {
  it('continues a sample when the prompt extends it token for token', () => {
    const recorder = new TrajectoryRecorder();
    recorder.generated([user('q')], said('a', [1, 2], [3, 4]));
    recorder.generated([user('q'), assistant('a'), user('r')], said('b', [1, 2, 3, 4, 5], [6]));
    expect(recorder.samples).toEqual([
      {
        tokens: [1, 2, 3, 4, 5, 6],
        modelSpans: [
          [2, 2],
          [5, 1],
        ],
      },
    ]);
  });

  it('begins a new sample when the prompt differs in one token, and encodes nothing again', () => {
    const recorder = new TrajectoryRecorder();
    recorder.generated([user('q')], said('a', [1, 2], [3, 4]));
    recorder.generated([user('q'), assistant('a')], said('b', [1, 2, 3, 9], [6]));
    expect(recorder.samples.map((sample) => sample.tokens)).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 9, 6],
    ]);
    expect(recorder.samples.map((sample) => sample.modelSpans)).toEqual([[[2, 2]], [[4, 1]]]);
  });

  it('makes no sample of a call that sampled nothing', () => {
    const recorder = new TrajectoryRecorder();
    recorder.generated([user('q')], { text: '', finish: 'context', promptTokens: [1], tokens: [] });
    expect(recorder.samples).toEqual([]);
    expect(recorder.tokens).toEqual({ prompt: 1, sampled: 0 });
  });

  it('lists each message once, the reply as the model’s own segment with its tokens', () => {
    const recorder = new TrajectoryRecorder();
    recorder.generated([{ role: 'system', content: 's' }, user('q')], said('a', [1], [2]));
    recorder.toolAnswered('search', '[]');
    recorder.generated(
      [{ role: 'system', content: 's' }, user('q'), assistant('a'), { role: 'tool', content: 'doc' }],
      said('b', [7], [8]),
    );
    expect(recorder.segments).toEqual([
      { source: 'system', text: 's' },
      { source: 'user', text: 'q' },
      { source: 'model', text: 'a', tokens: [2] },
      { source: 'env', text: 'search → []' },
      { source: 'tool', text: 'doc' },
      { source: 'model', text: 'b', tokens: [8] },
    ]);
  });

  it('shows an assistant message that the model never said', () => {
    const recorder = new TrajectoryRecorder();
    recorder.generated([user('q')], said('a', [1], [2]));
    recorder.generated([user('q'), assistant('words put into its mouth')], said('b', [3], [4]));
    expect(recorder.segments[2]).toEqual({ source: 'model', text: 'words put into its mouth' });
  });
});
