import { encodeEvent, type AnyEvent, type HarnessScored, type RolloutCompleted } from '@whale/contracts';
import { describe, expect, it } from 'vitest';
import { CANARY, scriptedLog } from './support/scripted-log.ts';
import { eventsOf, written } from './support/written.ts';

describe('W1 sealed', () => {
  const sealedWorld = () =>
    scriptedLog({
      script: {
        question: (task) => (task.startsWith('harness-') ? `question of ${task}` : `${CANARY} question of ${task}`),
      },
    });

  it('holds nothing of the other splits, no gold answer, no component: every byte and every name is searched', async () => {
    const scripted = await sealedWorld();
    const sealedIds = scripted.events.flatMap(({ event }): string[] => {
      if (event.type === 'whale.rollout.completed.v1' && event.data.group.purpose !== 'harness')
        return [event.data.rolloutId];
      if (event.type === 'whale.evaluation.opened.v1' && event.data.search === null) return [event.data.evaluationId];
      return [];
    });
    expect(sealedIds.length).toBeGreaterThan(40);
    for (const at of [1, 2, 3, 4, 'now'] as const) {
      const { contents, trajectories } = await written(scripted, at);
      expect(trajectories).toBeGreaterThan(5);
      const all = [...contents].flat().join('\n');
      expect(all).toContain('question of harness-001');
      for (const text of [CANARY, 'weight-0', 'validation-0', 'test-0', ...sealedIds])
        expect(all.includes(text), text).toBe(false);
    }
  });

  it('leaves out what a corrupt score names: tasks of other splits, rollouts of another purpose, pair or task', async () => {
    const scripted = await sealedWorld();
    const rollouts = eventsOf(scripted, 'whale.rollout.completed.v1').map(({ data }) => data);
    const last = eventsOf(scripted, 'whale.harness.scored.v1').at(-1) as HarnessScored;
    const own = rollouts.find(({ group }) => group.id === last.data.evaluationId) as RolloutCompleted['data'];
    const stolen = ['test', 'validation', 'weight'].map((split) =>
      rollouts.find(({ taskId }) => taskId.startsWith(split)),
    ) as RolloutCompleted['data'][];
    const group = { id: 'corrupt', purpose: 'harness' } as const;
    const foreign: Partial<RolloutCompleted['data']>[] = [
      { group: { ...group, purpose: 'evaluation' } },
      { group: { ...group, id: 'another' } },
      { group, taskId: 'harness-002' },
      { group, harnessId: '0'.repeat(64) },
      { group, weightsVersion: 'w99' },
    ];
    const disguised = foreign.map((change, i): RolloutCompleted => {
      const trajectory = ['harness', CANARY].map((text) => ({ source: 'model' as const, text }));
      const data = { ...own, taskId: 'harness-001', rolloutId: `disguised-${i}`, trajectory, ...change };
      return { type: 'whale.rollout.completed.v1', data };
    });
    const named = [
      ...stolen,
      ...disguised.map(({ data }) => ({ ...data, taskId: 'harness-001' })),
      { ...stolen[0], taskId: 'harness-001' },
    ];
    const tasks = named.map(({ taskId = '', rolloutId = '' }) => ({
      taskId,
      rolloutId,
      outcome: 'correct' as const,
      diagnostics: {},
    }));
    const corrupt: HarnessScored = { ...last, data: { ...last.data, evaluationId: 'corrupt', tasks } };
    const context = { source: 'test', time: 0, correlationId: scripted.experimentId };
    await scripted.append([corrupt, ...disguised].map((event) => encodeEvent(event, context)));
    const { contents, missing } = await written(scripted, 'now');
    expect(missing).toBe(6);
    const all = [...contents].flat().join('\n');
    for (const text of [CANARY, 'weight-0', 'validation-0', 'test-0']) expect(all.includes(text), text).toBe(false);
    expect(contents.get('index.md')).toContain('6 trajectories are not on the log');
  });

  it('does not show a candidate that was refused because it held what it must not know', async () => {
    const scripted = await sealedWorld();
    const [first] = eventsOf(scripted, 'whale.candidate.rejected.v1');
    const leak = `${CANARY} gold of harness-001`;
    const data = { ...first?.data, number: 900, stage: 'leak', source: leak, hypothesis: leak, message: leak, line: 1 };
    const event = { type: 'whale.candidate.rejected.v1', data } as AnyEvent;
    await scripted.append([encodeEvent(event, { source: 'test', time: 0, correlationId: scripted.experimentId })]);
    const { contents } = await written(scripted, 'now');
    expect([...contents].flat().join('\n').includes(CANARY)).toBe(false);
    expect(contents.get('history.jsonl')).toContain('"number":900');
    expect(contents.get('history.jsonl')).toContain('"stage":"leak"');
  });

  it('knows nothing of other experiments on the same log', async () => {
    const scripted = await sealedWorld();
    const before = (await written(scripted, 'now')).contents;
    const other = await scriptedLog({ spec: { seed: 2 }, script: { question: () => CANARY } });
    await scripted.append(other.records);
    expect((await written(scripted, 'now')).contents).toEqual(before);
  });
});
