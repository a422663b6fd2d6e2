import type { EntityType } from './names.ts';

export type RelationKey = 'lives' | 'born' | 'mayor' | 'river' | 'capital' | 'ruler' | 'master' | 'seat';

/** A relation of the world and the few words it is written with. `key` is the word that its documents share. */
export interface Relation {
  key: RelationKey;
  subject: EntityType;
  object: EntityType;
  /** The sentence that states the fact. */
  statement(subject: string, object: string): string;
  /** The one-hop question; also used with a description in place of a name ("the mayor of Tarvel"). */
  question(subject: string): string;
  /** How a two-hop question names the object of this relation without its name. */
  description(subject: string): string;
}

const attribute = (key: RelationKey, subject: EntityType, object: EntityType): Relation => ({
  key,
  subject,
  object,
  statement: (s, o) => `The ${key} of ${s} is ${o}.`,
  question: (s) => `${object === 'person' ? 'Who' : 'What'} is the ${key} of ${s}?`,
  description: (s) => `the ${key} of ${s}`,
});

export const RELATIONS: Record<RelationKey, Relation> = {
  lives: {
    key: 'lives',
    subject: 'person',
    object: 'town',
    statement: (s, o) => `${s} lives in ${o}.`,
    question: (s) => `Where does ${s} live?`,
    description: (s) => `the town where ${s} lives`,
  },
  born: {
    key: 'born',
    subject: 'person',
    object: 'town',
    statement: (s, o) => `${s} was born in ${o}.`,
    question: (s) => `Where was ${s} born?`,
    description: (s) => `the town where ${s} was born`,
  },
  mayor: attribute('mayor', 'town', 'person'),
  river: attribute('river', 'town', 'river'),
  capital: attribute('capital', 'realm', 'town'),
  ruler: attribute('ruler', 'realm', 'person'),
  master: attribute('master', 'guild', 'person'),
  seat: attribute('seat', 'guild', 'town'),
};

export const RELATION_KEYS = Object.keys(RELATIONS) as RelationKey[];

/** Chains asked in two hops: the object of the inner relation is the subject of the outer one. */
export const CHAINS: readonly { inner: RelationKey; outer: RelationKey }[] = RELATION_KEYS.flatMap((inner) =>
  RELATION_KEYS.filter((outer) => RELATIONS[inner].object === RELATIONS[outer].subject).map((outer) => ({
    inner,
    outer,
  })),
);
