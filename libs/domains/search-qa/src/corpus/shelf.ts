import type { Rng } from '@whale/kernel';
import { RELATIONS, type RelationKey } from '../atlas/relations.ts';
import type { Document, World } from '../atlas/world.ts';
import { documentLine, NO_DOCUMENTS } from '../protocol.ts';
import { SearchEngine } from '../search/tool.ts';

/** What the teacher is shown after a search: the lines, and what it can know of them. */
export interface Shown {
  text: string;
  documents: readonly Document[];
  /** Whether the lines carry years. */
  dated: boolean;
}

/** A small world with its index, from which the teacher's documents come, packed in as many ways as harnesses do. */
export class Shelf {
  readonly world: World;
  readonly #engine: SearchEngine;
  readonly #byId: ReadonlyMap<string, Document>;

  constructor(world: World) {
    this.world = world;
    this.#engine = new SearchEngine(world.documents);
    this.#byId = new Map(world.documents.map((document) => [document.id, document]));
  }

  /** Documents about `subject` and `relation`: one to `most` of them, in a random packaging. */
  show(random: Rng, subject: string, relation: RelationKey, most: number): Shown {
    const factId = `${subject}/${relation}`;
    const found = this.#engine
      .search(`${subject} ${relation}`, 8)
      .flatMap((hit) => this.#byId.get(hit.id) ?? [])
      .filter((document) => !(this.#isStale(document, factId) && random.float() < 0.4));
    const documents = found.slice(0, 1 + random.int(most));
    const answer = found.find((document) => document.states?.fact === factId && document.states.current);
    if (answer !== undefined && !documents.includes(answer) && random.float() < 0.8) {
      documents[random.int(documents.length)] = answer;
    }
    const dated = random.float() < 0.6;
    const ordered = arrange(random, documents);
    const text = ordered.map((document) => documentLine(document, dated)).join('\n');
    return { text: ordered.length === 0 ? NO_DOCUMENTS : text, documents: ordered, dated };
  }

  #isStale(document: Document, factId: string): boolean {
    return document.states?.fact === factId && !document.states.current;
  }
}

function arrange(random: Rng, documents: readonly Document[]): Document[] {
  const roll = random.float();
  if (roll < 0.4) return random.shuffle(documents);
  const sign = roll < 0.8 ? -1 : 1;
  return [...documents].sort((a, b) => sign * (a.year - b.year));
}

/** The object as a stating document writes it, e.g. `Lord Dask`; undefined for talk. */
export function objectOf(document: Document): string | undefined {
  if (document.states === undefined) return undefined;
  return / (?:is|in) ([^.]+)\.$/u.exec(document.text)?.[1];
}

/** The name without a title, as it stands in fact ids. */
export function plainName(mention: string): string {
  return mention.replace(/^(?:Lord|Lady|River) /u, '');
}

export function questionOf(relation: RelationKey, subject: string): string {
  return RELATIONS[relation].question(subject);
}
