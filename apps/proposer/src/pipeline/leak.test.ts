import { Split } from '@whale/contracts';
import { regionsOf, withVariant, type Domain, type Task } from '@whale/domain-api';
import { loadDomain } from '@whale/domain-loader';
import { HarnessChecker } from '@whale/harness-sandbox';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { smallDomain } from '../testing/small-domain.ts';
import { leakIn } from './leak.ts';
import { sealedTexts } from './sealed-texts.ts';
import { wordsOf } from './words.ts';

const checker = new HarnessChecker();
afterAll(() => checker.close());

const h0 = smallDomain([]).seedHarness;

/** A domain of these tasks: split, input, gold answers. */
function domainOf(items: readonly [Split, string, string[]][], extra: Partial<Domain> = {}): Domain {
  const tasks = items.map(([split, question], i): Task => ({ id: `t${i}`, split, input: { question } }));
  return {
    ...smallDomain([]),
    tasks: (split) => tasks.filter((task) => task.split === split),
    gold: (id) => items[Number(id.slice(1))]?.[2] ?? [],
    ...extra,
  };
}

const LONG =
  'In the autumn of the year the river rose above its banks and carried away the old bridge, so that the people of the ' +
  'valley had to cross by boat until the mason Ordwin had built a new one out of grey stone and black timber.';
const sealed = domainOf(
  [
    ['weight', 'Who is the mayor of Tarvel?', ['Dask', 'Lord Dask']],
    ['harness', 'Who is the mayor of Ulmoss?', ['Ottar the Second']],
    ['validation', 'Where does the river Ulmoon end?', ['Grey Marsh']],
    ['test', LONG, ['1987', 'no', '42']],
  ],
  { dataset: 'tarvel-maps' },
);

const leak = (source: string, domain = sealed) => leakIn(source, domain, checker);
/** h₀ with a line of code in it; h₀ itself has `export default` at line 16. */
const withLine = (line: string) => h0.replace('export default', `${line}\nexport default`);

describe('a candidate is refused for', () => {
  it.each<[string, string, string]>([
    ['a question', "const a = 'who is the MAYOR of tarvel';", 'a text of the data'],
    ['a question of a sealed split', 'const a = `Where does the river Ulmoon end?`;', 'a text of the data'],
    ['a question in pieces', "const a = 'Who is the ' + 'mayor of ' + 'Tarvel' + '?';", 'a text of the data'],
    ['a question with escapes', "const a = '\\u0057ho is the mayor\\nof Tarvel?';", 'a text of the data'],
    ['a question in a comment', '// e.g. Who is the mayor of Tarvel?', 'a text of the data'],
    ['a question over lines of comments', '// Who is the mayor\n// of Tarvel?', 'a text of the data'],
    ['a passage of a long input', `const a = '${LONG.slice(20, 190)}';`, 'a text of the data'],
    ['an answer', "const table = { tarvel: 'Dask' };", 'a text of the data'],
    ['an answer inside a text', 'const a = `say ${h0}, lord dask, now`;', 'a text of the data'],
    ['an answer in a regular expression', 'const a = /ottar the second/i;', 'a text of the data'],
    ['a sealed answer in a comment', '/* the marsh: Grey Marsh */', 'a text of the data'],
    ['a year that is an answer', "const a = '1987';", 'a text of the data'],
    ['the name of the data set', "const a = 'Tarvel Maps: ';", 'the name of the data set'],
  ])('%s', async (_, line, what) => {
    const rejection = await leak(withLine(line));
    expect(rejection).toMatchObject({ stage: 'leak', line: 16 });
    expect(rejection?.message).toContain(what);
    // What is sealed is not told by the way.
    const told = wordsOf(rejection?.message ?? '');
    for (const word of ['tarvel', 'dask', 'ottar', 'ulmoon', 'marsh', 'ordwin', '1987'])
      expect(told).not.toContain(word);
  });
});

describe('a candidate is not refused for', () => {
  it.each<[string, string]>([
    ['a pattern of questions', "const a = 'Who is the mayor of ' + h0;"],
    ['short answers', "const a = 'no, 42';"],
    ['words of an answer that do not stand together', "const a = ['Grey', 'Marsh'].join();"],
    ['names of the program', 'const Dask = 1;'],
    ['numbers', 'const a = 1987;'],
    ['a few words of a long input', "const a = 'the people of the valley had to cross';"],
    ['the name of the data set in a comment', '// for tarvel-maps'],
  ])('%s', async (_, line) => {
    expect(await leak(withLine(line))).toBeNull();
  });

  it('what stands in h₀, in the description or in a component', async () => {
    const open = { ...sealed, description: 'Such as: Who is the mayor of Tarvel? It is Dask.' };
    expect(await leak(withLine("const a = 'Who is the mayor of Tarvel? Dask';"), open)).toBeNull();
    const named = { ...sealed, seedHarness: withLine("const a = 'tarvel maps';") };
    expect(await leak(withLine("const b = 'tarvel maps';"), named)).toBeNull();
  });

  it('answers that many tasks share, and words that many questions use', async () => {
    const many = Array.from({ length: 40 }, (_, i): [Split, string, string[]] => [
      'weight',
      `Which colour has the film number${i} of that actor?`,
      [i % 2 === 0 ? 'green' : i === 1 ? 'actor' : `Unique${i}`],
    ]);
    const domain = domainOf(many);
    expect(await leak(withLine("const a = 'green, an actor';"), domain)).toBeNull();
    expect(await leak(withLine("const a = 'Unique7';"), domain)).toMatchObject({ stage: 'leak' });
  });
});

describe('on the atlas', () => {
  let atlas: Domain;
  beforeAll(async () => {
    atlas = await loadDomain({ name: 'search-qa', dataset: 'atlas', options: {} });
  });

  it('no variant of h₀ is refused', async () => {
    for (const component of atlas.components) {
      expect(await leak(withVariant(atlas.seedHarness, component), atlas), component.name).toBeNull();
    }
    expect(regionsOf(atlas.seedHarness).length).toBeGreaterThan(0);
  });

  it('every question and every answer of every split is', async () => {
    const phrases = sealedTexts(atlas);
    for (const task of Split.options.flatMap((split) => atlas.tasks(split))) {
      for (const text of [task.input['question'] as string, ...atlas.gold(task.id)]) {
        expect([...phrases.in(wordsOf(`so: ${text}!`))], text).not.toEqual([]);
      }
    }
  });

  test('its name is', async () => {
    const source = atlas.seedHarness.replace("system: 'Search", "system: 'Atlas: search");
    expect(await leak(source, atlas)).toMatchObject({ message: expect.stringContaining('the name of the data set') });
  });
});
