import { describe, expect, it } from 'vitest';
import { choices, type Knowledge } from './choose.ts';
import { diagnose, type TaskOutcome } from './diagnosis.ts';
import type { Tried } from './history.ts';
import type { Idea } from './idea.ts';

const SLOTS = ['query', 'loop', 'finish'];
const source = SLOTS.map((slot) => `// region ${slot}: seed\n${slot};\n// endregion\n`).join('');

function idea(name: string, slot: string, target: string, needs: string[] = []): Idea {
  const regions = [{ slot, variant: name, text: `${name};\n` }];
  return { name, needs, targets: [target], mechanism: name, because: name, edit: { kind: 'regions', regions } };
}
const terse = idea('terse', 'query', 'retrieval');
const planned = idea('planned', 'query', 'retrieval', ['terse']);
const longer = idea('longer', 'query', 'hops');
const twice = idea('twice', 'loop', 'hops');
const strict = idea('strict', 'finish', 'format');
const IDEAS = [strict, terse, planned, longer, twice];

const task = (place: number, outcome: string, diagnostics: TaskOutcome['diagnostics']): TaskOutcome => {
  return { task: `t${place}`, outcome, diagnostics, trajectory: undefined };
};
/** Ten right; twenty wrong, all of which lack retrieval, half of them the second hop, none the format. */
const outcomes = [
  ...Array.from({ length: 10 }, (_, i) => task(i, 'correct', { retrieval: true, hops: 1, format: i > 5 })),
  ...Array.from({ length: 20 }, (_, i) =>
    task(10 + i, 'incorrect', { retrieval: false, hops: i < 10 ? 0.5 : 1, format: true }),
  ),
  task(30, 'infrastructure_error', { retrieval: false }),
];

const tried = (ideas: string[], gain: number, parent = 'other'): Tried => {
  const place = { cycle: 1, iteration: 1, harness: 'h', parent, weights: 'w1' };
  return { ...place, ideas, score: 0.5, gain, gained: 1, lost: 1, accepted: false };
};
function names(more: Partial<Knowledge> = {}): string[] {
  const knowledge: Knowledge = {
    incumbent: { folder: 'i', source },
    weights: 'w1',
    ideas: IDEAS,
    diagnosis: diagnose(outcomes),
    tried: [],
    evidence: new Map(),
    ...more,
  };
  return choices(knowledge).map(({ ideas }) => ideas.map(({ name }) => name).join('+'));
}

describe('a diagnosis', () => {
  it('counts what was measured, and puts first what tells most failures from successes', () => {
    const { correct, measured, weakest, weaknesses } = diagnose(outcomes);
    expect([correct, measured]).toEqual([10, 30]);
    expect(weakest).toMatchObject({ name: 'retrieval', failures: 20, of: 20, excess: 1 });
    expect(weaknesses.map(({ name }) => name)).toEqual(['retrieval', 'hops', 'format']);
    expect(weaknesses[1]).toMatchObject({ failures: 10, excess: 0.5 });
  });

  it('takes truncation as bad where it is true, and finds nothing where nothing differs', () => {
    const cut = [task(1, 'truncated', { truncation: true }), task(2, 'correct', { truncation: false })];
    expect(diagnose(cut).weakest).toMatchObject({ name: 'truncation', tasks: ['t1'] });
    expect(diagnose(cut.slice(1)).weakest).toBeUndefined();
    expect(diagnose([]).weaknesses).toEqual([]);
  });
});

describe('what is worth a measurement', () => {
  it('is what the failures ask for, on different parts of the harness first, then in pairs', () => {
    expect(names()).toEqual([
      'terse',
      'twice',
      'strict',
      'longer',
      'terse+twice',
      'terse+strict',
      'twice+strict',
      'twice+longer',
      'strict+longer',
    ]);
  });

  it('needs its ground: an idea on another comes once that is there', () => {
    const grown = source.replace('seed\nquery', 'terse\nterse');
    expect(names({ incumbent: { folder: 'i', source: grown } })).toContain('planned');
    expect(names({ incumbent: { folder: 'i', source: grown } })).not.toContain('terse');
    expect(names()).not.toContain('planned');
  });

  it('begins with what has proved itself elsewhere, together', () => {
    const history = [tried(['twice'], 0.1), tried(['terse'], 0.2), tried(['longer'], 0.1), tried(['strict'], -0.1)];
    // Two that change the same part can't be together: the better one is.
    expect(names({ tried: history })[0]).toBe('terse+twice');
    expect(names({ tried: [...history, tried(['terse', 'twice'], -0.1, 'i')] })[0]).toBe('terse');
  });

  it('is not what was tried on this very incumbent under these weights', () => {
    expect(names({ tried: [tried(['terse'], 0.1, 'i')] })).not.toContain('terse');
    expect(names({ tried: [tried(['terse'], 0.1, 'i')], weights: 'w2' })).toContain('terse');
  });

  it('is less what has failed once, and what there is no sign of; more what there is', () => {
    const failed = [tried(['terse'], -0.1)];
    expect(names({ tried: failed })[0]).toBe('terse');
    expect(names({ tried: failed, evidence: new Map([['terse', 0]]) })[0]).toBe('longer');
    expect(names({ tried: failed, evidence: new Map([['twice', 8]]) })[0]).toBe('twice');
    expect(names({ evidence: new Map([['strict', 25]]) })[0]).toBe('strict');
  });
});
