import type { Effect } from '@whale/contracts';
import { afterAll, describe, expect, test } from 'vitest';
import { HarnessSandbox } from '../harness-sandbox.ts';
import { harness, LOOP } from '../testing/sources.ts';
import { type RecordedRollout, sameBehaviour } from './behaviour.ts';
import { HarnessChecker } from './harness-checker.ts';

const sandbox = new HarnessSandbox();
const checker = new HarnessChecker({ sandbox });
afterAll(() => Promise.all([checker.close(), sandbox.close()]));

const answer = (effect: Effect): unknown =>
  effect.type === 'generate' ? { text: `re ${effect.messages.at(-1)?.content}`, finish: 'stop' } : { text: 'd' };

async function record(source: string, questions: string[], limits = {}): Promise<RecordedRollout[]> {
  return Promise.all(
    questions.map(async (question) => {
      const task = { question };
      const { effects, end } = await sandbox.run({ source, task, limits, onEffect: answer });
      return { task, limits, effects, end };
    }),
  );
}

const same = (source: string, recorded: readonly RecordedRollout[]) => checker.behavesLike(source, recorded);

describe('the same behaviour', () => {
  test('of the same program, otherwise written', async () => {
    const other = LOOP.replaceAll('seen', 'heard').replace(
      'for (let turn = 0; turn < 3; turn++) {',
      'let turn = -1;\nwhile (++turn < 3) {',
    );
    expect(other).not.toBe(LOOP);
    expect(await same(other, await record(LOOP, ['q', 'p', 'r']))).toBe(true);
  });

  test('of harnesses that end without an answer in the same way', async () => {
    const pairs: [string, string, object?][] = [
      ['return { answer: null };', 'const none = null; return { answer: none };'],
      ["for (;;) yield* tool('x', {});", "while (true) yield { type: 'tool', name: 'x', args: {} };", { effects: 4 }],
      ["yield* tool('x', {});\nnull.x;", "yield* tool('x', {}); const o: any = undefined; o.y;"],
      ['for (;;);', 'while (true) {}', { fuel: 20 }],
    ];
    for (const [one, other, limits] of pairs) {
      expect(await same(harness(other), await record(harness(one), ['q'], limits))).toBe(true);
    }
  });
});

describe('another behaviour', () => {
  test.each([
    ['other words to the model', LOOP.replace('+ turn }', "+ ' ' + turn }")],
    ['other arguments of a tool', LOOP.replace('k: turn + 1', 'k: 2')],
    ['an effect less', LOOP.replace('turn < 3', 'turn < 2')],
    ['an effect more', LOOP.replace('turn < 3', 'turn < 4')],
    ['another answer', LOOP.replace("join(' ')", "join('  ')")],
    ['no answer', LOOP.replace("seen.join(' ')", 'null')],
    ['an error', LOOP.replace("seen.join(' ')", 'task.a.b')],
    ['what does not load', 'nonsense('],
  ])('%s', async (_name, source) => {
    expect(await same(source, await record(LOOP, ['q', 'p']))).toBe(false);
  });

  test('on one task of many', async () => {
    const source = LOOP.replace(
      "{ answer: seen.join(' ') }",
      "{ answer: task.question === 'odd' ? 'x' : seen.join(' ') }",
    );
    expect(await same(source, await record(LOOP, ['q', 'p']))).toBe(true);
    expect(await same(source, await record(LOOP, ['q', 'odd', 'p']))).toBe(false);
  });

  test('the first difference settles it', async () => {
    const recorded = await record(LOOP, ['a', 'b', 'c', 'd']);
    let replays = 0;
    const counting = {
      replay: (input: Parameters<HarnessSandbox['replay']>[0]) => {
        replays += 1;
        return sandbox.replay(input);
      },
    };
    expect(await sameBehaviour(counting, harness("return { answer: 'x' };"), recorded)).toBe(false);
    expect(replays).toBe(1);
  });

  test('without a recorded rollout nothing is known', async () => {
    expect(await same(LOOP, [])).toBe(false);
  });

  test('what is not the harness’s fault is no answer', async () => {
    const closed = new HarnessSandbox();
    await closed.close();
    await expect(sameBehaviour(closed, LOOP, await record(LOOP, ['q']))).rejects.toMatchObject({
      code: 'SANDBOX_CLOSED',
    });
  });
});
