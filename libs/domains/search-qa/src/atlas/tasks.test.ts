import { Split } from '@whale/contracts';
import { InputError } from '@whale/kernel';
import { describe, expect, it } from 'vitest';
import searchQa from '../index.ts';
import { AtlasOptions, MOST_TASKS, parseAtlasOptions } from './options.ts';
import { drawQuestions } from './questions.ts';
import { atlasTasks } from './tasks.ts';
import { inventWorld } from './world.ts';
import { rng } from '@whale/kernel';

const atlas = await atlasTasks(AtlasOptions.parse({}));

describe('invariant 1: splits share no fact', () => {
  const world = inventWorld(
    'atlas',
    Split.options.map((split) => ({ name: split, questions: 100 })),
  );

  it('and no (entity, relation) pair, hops included', () => {
    const facts = Split.options.flatMap((split) => [
      ...new Set(
        drawQuestions(rng(split), world, split, 100, 0.4).flatMap((question) => question.facts.map((f) => f.id)),
      ),
    ]);
    expect(new Set(facts).size).toBe(facts.length);
  });

  it('and no entity', () => {
    const provinces = new Map<string, string>();
    for (const fact of world.facts.values()) {
      for (const entity of [fact.subject, ...fact.versions.map((version) => version.object)]) {
        expect(provinces.get(entity.name) ?? entity.province).toBe(entity.province);
        provinces.set(entity.name, entity.province);
      }
    }
  });
});

describe('tasks', () => {
  it('have the sizes and the share of hops asked for', () => {
    const hops = (split: Split) => (atlas.bySplit.get(split) ?? []).map((task) => atlas.keys.get(task.id)?.hops);
    expect(Split.options.map((split) => hops(split).length)).toEqual([200, 40, 60, 100]);
    expect(hops('test').filter((count) => count === 2)).toHaveLength(40);
  });

  it('invariant 3: have stable ids and texts', () => {
    expect(atlas.bySplit.get('weight')?.slice(0, 2)).toMatchInlineSnapshot(`
      [
        {
          "id": "atlas-weight-0001",
          "input": {
            "question": "What is the seat of Rossmar?",
          },
          "split": "weight",
        },
        {
          "id": "atlas-weight-0002",
          "input": {
            "question": "What is the river of Golcombe?",
          },
          "split": "weight",
        },
      ]
    `);
  });

  it('have a current document for every fact they need', () => {
    for (const { evidence } of atlas.keys.values()) {
      for (const sentences of evidence) expect(sentences).toHaveLength(1);
    }
  });

  it('are others in another world, but for a question in ten at most', async () => {
    const other = await atlasTasks(AtlasOptions.parse({ seed: 'other' }));
    const texts = new Set([...atlas.byId.values()].map((task) => task.input['question']));
    expect([...other.byId.values()].filter((task) => texts.has(task.input['question'])).length).toBeLessThan(40);
  });

  it('fill the largest size allowed', async () => {
    const size = { weight: MOST_TASKS - 150, harness: 50, validation: 50, test: 50 };
    const large = await atlasTasks(AtlasOptions.parse(size));
    expect(large.byId.size).toBe(MOST_TASKS);
  });
});

describe('documents', () => {
  const { documents, facts } = atlas.world;

  it('never give the true value to a stale version or a namesake', () => {
    const truth = new Map(documents.flatMap((d) => (d.states?.current === true ? [[d.states.fact, d.text]] : [])));
    for (const fact of facts.values()) {
      const [newest, ...older] = fact.versions;
      expect(older.map((version) => version.object.name)).not.toContain(newest?.object.name);
      expect(older.every((version) => version.year < (newest?.year ?? 0))).toBe(true);
      if (fact.subject.near === undefined) continue;
      const other = facts.get(`${fact.subject.near}/${fact.relation}`)?.versions[0]?.object.name;
      expect(fact.versions.map((version) => version.object.name)).not.toContain(other);
    }
    expect(truth.size).toBe(facts.size);
  });

  it('are stale, about a namesake or mere talk more often than not', () => {
    const good = documents.filter((d) => d.states?.current === true && !/^(?:New|Old|East|Young) /u.test(d.title));
    expect(good.length / documents.length).toBeLessThan(0.35);
  });
});

describe('options', () => {
  it.each([
    [{ sede: 'x' }, /sede/u],
    [{ test: 0 }, /test/u],
    [{ weight: 1500, test: 1500 }, /at most 1600/u],
    [{ twoHop: 2 }, /twoHop/u],
  ])('refuse %j', (options, message) => {
    expect(() => parseAtlasOptions(options)).toThrow(InputError);
    expect(() => parseAtlasOptions(options)).toThrow(message);
  });

  it('refuse an unknown data set and list the known ones', async () => {
    await expect(searchQa.load({ dataset: 'hotpot', options: {} })).rejects.toThrow(/"hotpot"; known: atlas/u);
  });
});
