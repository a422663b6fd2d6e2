import { rng, turn, type Rng } from '@whale/kernel';
import { writeDocuments } from './documents.ts';
import { inventNames, NEAR_PREFIXES, type EntityType } from './names.ts';
import { RELATION_KEYS, RELATIONS, type RelationKey } from './relations.ts';

export interface Entity {
  name: string;
  type: EntityType;
  /** Another accepted form of the name, e.g. `Lord Dask` or `River Osk`. */
  alias?: string;
  /** The entity that this one is easily taken for; such an entity has documents but no question. */
  near?: string;
  province: string;
}

/** Who is what to whom. The newest version holds; the others are what stale documents say. */
export interface Fact {
  /** `<subject>/<relation>`, unique in the world. */
  id: string;
  subject: Entity;
  relation: RelationKey;
  /** Newest first; objects of older versions differ from the newest one's. */
  versions: { year: number; object: Entity }[];
}

export interface Document {
  id: string;
  title: string;
  text: string;
  year: number;
  /** The fact that the document states, and whether it states its newest version. Never shown by the search tool. */
  states?: { fact: string; current: boolean };
}

export interface World {
  entities: ReadonlyMap<string, Entity>;
  facts: ReadonlyMap<string, Fact>;
  documents: readonly Document[];
}

/** A part of the world whose entities and facts no other province uses. `questions` sizes it. */
export interface Province {
  name: string;
  questions: number;
}

/** Share of towns and people that have a near-namesake. */
const NEAR_SHARE = 0.4;
const TITLED_SHARE = 0.2;
const FIRST_YEAR = 290;
const LAST_YEAR = 349;
/** Most versions a fact has, the newest included. */
const MOST_VERSIONS = 4;

/**
 * An invented world. All provinces share one corpus but no entity, so tasks drawn from different provinces share no
 * fact: what is memorised in one is of no use in another. Same seed and provinces, same world. Throws InputError when
 * the provinces need more names than the syllables make.
 */
export function inventWorld(seed: string, provinces: readonly Province[]): World {
  const steps = invention(seed, provinces);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The same without holding the event loop for all of it. */
export async function inventWorldInTurns(seed: string, provinces: readonly Province[]): Promise<World> {
  const steps = invention(seed, provinces);
  let step = steps.next();
  while (step.done !== true) {
    await turn();
    step = steps.next();
  }
  return step.value;
}

/** Yields between pieces of work, each of about ten milliseconds. */
function* invention(seed: string, provinces: readonly Province[]): Generator<void, World> {
  const random = rng(`atlas/world/${seed}`);
  const entities = inventEntities(random, provinces);
  const facts: Fact[] = [];
  for (const { name } of provinces) {
    yield;
    facts.push(
      ...inventFacts(
        random,
        entities.filter((entity) => entity.province === name),
      ),
    );
  }
  yield;
  return {
    entities: new Map(entities.map((entity) => [entity.name, entity])),
    facts: new Map(facts.map((fact) => [fact.id, fact])),
    documents: writeDocuments(random, facts, entities),
  };
}

const populations: Record<EntityType, (questions: number) => number> = {
  person: (n) => Math.ceil(n * 0.4) + 12,
  town: (n) => Math.ceil(n * 0.25) + 8,
  realm: (n) => Math.ceil(n * 0.1) + 3,
  guild: (n) => Math.ceil(n * 0.1) + 3,
  river: (n) => Math.ceil(n * 0.12) + 6,
};

function inventEntities(random: Rng, provinces: readonly Province[]): Entity[] {
  const out: Entity[] = [];
  for (const type of Object.keys(populations) as EntityType[]) {
    const counts = provinces.map((province) => populations[type](province.questions));
    const names = inventNames(
      random,
      type,
      counts.reduce((sum, count) => sum + count, 0),
    );
    for (const [i, province] of provinces.entries()) {
      for (const name of names.splice(0, counts[i])) {
        out.push({ name, type, province: province.name, ...aliasOf(random, name, type) });
        const prefixes = NEAR_PREFIXES[type];
        if (prefixes !== undefined && random.float() < NEAR_SHARE) {
          out.push({ name: `${random.pick(prefixes)} ${name}`, type, province: province.name, near: name });
        }
      }
    }
  }
  return out;
}

function aliasOf(random: Rng, name: string, type: EntityType): { alias?: string } {
  if (type === 'river') return { alias: `River ${name}` };
  if (type === 'person' && random.float() < TITLED_SHARE) return { alias: `${random.pick(['Lord', 'Lady'])} ${name}` };
  return {};
}

function inventFacts(random: Rng, entities: readonly Entity[]): Fact[] {
  const newest = new Map<string, string>();
  return entities.flatMap((subject) =>
    RELATION_KEYS.filter((key) => RELATIONS[key].subject === subject.type).map((relation): Fact => {
      // A namesake must not share the true value, or its document would pass for the right one's.
      const taken = [subject.name, subject.near, newest.get(`${subject.near}/${relation}`)];
      const objects = entities.filter(
        ({ type, near, name }) => type === RELATIONS[relation].object && near === undefined && !taken.includes(name),
      );
      const years = versionYears(random);
      const versions = random
        .shuffle(objects)
        .slice(0, years.length)
        .map((object, i) => ({ year: years[i] ?? 0, object }));
      const id = `${subject.name}/${relation}`;
      newest.set(id, versions[0]?.object.name ?? '');
      return { id, subject, relation, versions };
    }),
  );
}

/** One to `MOST_VERSIONS` different years, newest first; the newest is within the last thirty. */
function versionYears(random: Rng): number[] {
  const count = 1 + random.int(MOST_VERSIONS);
  const newest = LAST_YEAR - random.int(30);
  const older = random.shuffle(Array.from({ length: newest - FIRST_YEAR }, (_, i) => FIRST_YEAR + i));
  return [newest, ...older.slice(0, count - 1).sort((a, b) => b - a)];
}
