import type { Rng } from '@whale/kernel';
import { RELATIONS } from './relations.ts';
import type { Document, Entity, Fact } from './world.ts';

/** Chances that a fact draws each kind of talk: documents that share the words of a query but state no fact. */
const TALK: readonly { chance: number; write(fact: Fact, other: string): string }[] = [
  {
    chance: 0.3,
    write: (fact, other) => `${RELATIONS[fact.relation].question(fact.subject.name)} Ask in ${other}.`,
  },
  { chance: 0.3, write: (fact) => `The search in ${fact.subject.name} found no ${fact.relation}.` },
  { chance: 0.3, write: (fact, other) => `They sing of ${fact.relation} and ${fact.subject.name} in ${other}.` },
];

/**
 * Everything that can be found: each version of each fact, the near-namesakes' facts, and talk. Shuffled, since the
 * search tool breaks ties by place in the corpus. A subject has its own page, so `title` is its name; talk has the
 * title `Talk`.
 */
export function writeDocuments(random: Rng, facts: readonly Fact[], entities: readonly Entity[]): Document[] {
  const towns = entities.filter((entity) => entity.type === 'town' && entity.near === undefined);
  const written: Omit<Document, 'id'>[] = [];
  for (const fact of facts) {
    const { statement } = RELATIONS[fact.relation];
    for (const [age, version] of fact.versions.entries()) {
      written.push({
        title: fact.subject.name,
        text: statement(mention(random, fact.subject), mention(random, version.object)),
        year: version.year,
        states: { fact: fact.id, current: age === 0 },
      });
    }
    if (fact.subject.near !== undefined) continue;
    for (const talk of TALK) {
      if (random.float() >= talk.chance) continue;
      written.push({ title: 'Talk', text: talk.write(fact, random.pick(towns).name), year: 290 + random.int(60) });
    }
  }
  return random.shuffle(written).map((document, i) => ({ id: `d${String(i + 1).padStart(5, '0')}`, ...document }));
}

/** An entity as a document writes it: by its alias half of the time, where it has one. */
function mention(random: Rng, entity: Entity): string {
  return entity.alias !== undefined && random.float() < 0.5 ? entity.alias : entity.name;
}
