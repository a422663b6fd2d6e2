import type { Rng } from '@whale/kernel';
import { normalise } from '../verifier/normalise.ts';
import { CHAINS, RELATION_KEYS, RELATIONS } from './relations.ts';
import type { Entity, Fact, World } from './world.ts';

export interface Question {
  text: string;
  hops: 1 | 2;
  /** The facts needed, in the order in which they are looked up; the last one holds the answer. */
  facts: readonly Fact[];
  /** Accepted answers, the canonical one first. */
  gold: readonly string[];
}

export function goldOf(entity: Entity): string[] {
  return entity.alias === undefined ? [entity.name] : [entity.name, entity.alias];
}

function newest(fact: Fact): Entity {
  const version = fact.versions[0];
  if (version === undefined) throw new Error(`fact ${fact.id} has no version`);
  return version.object;
}

/** All one-hop questions of a province, in the order of the world's facts. */
export function oneHopQuestions(world: World, province: string): Question[] {
  const out: Question[] = [];
  for (const fact of factsOf(world, province)) {
    const text = RELATIONS[fact.relation].question(fact.subject.name);
    out.push({ text, hops: 1, facts: [fact], gold: goldOf(newest(fact)) });
  }
  return out.filter(asksWithoutTelling);
}

/** All two-hop questions of a province: "Who is the mayor of the town where Mavel lives?" */
export function twoHopQuestions(world: World, province: string): Question[] {
  const out: Question[] = [];
  for (const inner of factsOf(world, province)) {
    for (const chain of CHAINS) {
      if (chain.inner !== inner.relation) continue;
      const outer = world.facts.get(`${newest(inner).name}/${chain.outer}`);
      if (outer === undefined) continue;
      const text = RELATIONS[chain.outer].question(RELATIONS[chain.inner].description(inner.subject.name));
      out.push({ text, hops: 2, facts: [inner, outer], gold: goldOf(newest(outer)) });
    }
  }
  return out.filter(asksWithoutTelling);
}

/**
 * `count` distinct questions, the two-hop share as asked (rounded), in random order. Relations are drawn evenly, so
 * that no relation fills a split. Fewer come back only when the province has no more.
 */
export function drawQuestions(
  random: Rng,
  world: World,
  province: string,
  count: number,
  twoHopShare: number,
): Question[] {
  const two = drawEvenly(random, twoHopQuestions(world, province), Math.round(count * twoHopShare));
  const one = drawEvenly(random, oneHopQuestions(world, province), count - two.length);
  return random.shuffle([...one, ...two]);
}

function drawEvenly(random: Rng, questions: readonly Question[], count: number): Question[] {
  const kindOf = (question: Question) => question.facts.map((fact) => fact.relation).join('>');
  const kinds = [...new Set(questions.map(kindOf))].map((kind) =>
    random.shuffle(questions.filter((question) => kindOf(question) === kind)),
  );
  const out: Question[] = [];
  for (let round = 0; out.length < count && kinds.some((kind) => kind.length > round); round++) {
    for (const kind of random.shuffle(kinds)) {
      const question = kind[round];
      if (question !== undefined && out.length < count) out.push(question);
    }
  }
  return out;
}

function factsOf(world: World, province: string): Fact[] {
  return [...world.facts.values()].filter(
    ({ subject, relation }) =>
      subject.province === province && subject.near === undefined && RELATION_KEYS.includes(relation),
  );
}

function asksWithoutTelling(question: Question): boolean {
  const text = ` ${normalise(question.text)} `;
  return question.gold.every((answer) => !text.includes(` ${normalise(answer)} `));
}
