import type { Diagnosis } from './diagnosis.ts';
import type { Tried } from './history.ts';
import { applyIdea, hasIdea, slotsOf, type Idea } from './idea.ts';

/** What one candidate of the batch is to be. */
export interface Choice {
  ideas: readonly Idea[];
  source: string;
}

/** All that the choice depends on. */
export interface Knowledge {
  incumbent: { folder: string; source: string };
  weights: string | undefined;
  ideas: readonly Idea[];
  diagnosis: Diagnosis;
  tried: readonly Tried[];
  /** Lines that speak for an idea, by its name. */
  evidence: ReadonlyMap<string, number>;
}

/**
 * What is worth a measurement, best first: what has proved itself by itself and is not in the incumbent, all together;
 * then single ideas, those on other parts of the harness first; then pairs of them.
 */
export function choices(knowledge: Knowledge): Choice[] {
  const { incumbent, ideas } = knowledge;
  const absent = ideas.filter((idea) => !hasIdea(incumbent.source, idea, ideas));
  const proved = together(absent.filter((idea) => (gainOf(idea, knowledge) ?? 0) > 0).sort(byGain(knowledge)));
  const combined = wasTried(proved, knowledge) ? [] : proved;
  const singles = singlesOf(absent, combined, knowledge);
  const pairs = singles.flatMap((first, place) => singles.slice(place + 1).map((second) => [first, second]));
  const sets = [combined, ...singles.map((idea) => [idea]), ...pairs.filter((pair) => together(pair).length === 2)];
  return sets
    .filter((set, place) => set.length > 0 && sets.findIndex((other) => sameNames(set, other)) === place)
    .filter((set) => !wasTried(set, knowledge))
    .flatMap((set) => {
      const source = withIdeas(incumbent.source, set);
      return source === undefined || source === incumbent.source ? [] : [{ ideas: set, source }];
    });
}

/** Ideas whose ground is laid, on different parts of the harness first; what is combined is measured there already. */
function singlesOf(absent: readonly Idea[], combined: readonly Idea[], knowledge: Knowledge): Idea[] {
  const missing = new Set(absent.map(({ name }) => name));
  const open = absent.filter(({ needs }) => !needs.some((name) => missing.has(name))).sort(byPromise(knowledge));
  return spread([
    ...open.filter((idea) => !combined.includes(idea)),
    ...open.filter((idea) => combined.includes(idea)),
  ]);
}

/** An idea after those that it builds upon. */
function withIdeas(source: string, set: readonly Idea[]): string | undefined {
  return set
    .toSorted((a, b) => a.needs.length - b.needs.length)
    .reduce<string | undefined>((text, idea) => (text === undefined ? undefined : applyIdea(text, idea)), source);
}

/** The last time that it was tried by itself, against its parent; undefined: never. */
function gainOf({ name }: Idea, { tried }: Knowledge): number | undefined {
  const alone = tried.filter(({ ideas, gain }) => ideas.length === 1 && ideas[0] === name && gain !== null);
  return alone.at(-1)?.gain ?? undefined;
}

function byGain(knowledge: Knowledge) {
  return (a: Idea, b: Idea) => (gainOf(b, knowledge) ?? 0) - (gainOf(a, knowledge) ?? 0);
}

function byPromise(knowledge: Knowledge) {
  return (a: Idea, b: Idea) => promise(b, knowledge) - promise(a, knowledge);
}

/** How many failures an idea may turn, as far as can be seen before it is measured. */
function promise(idea: Idea, knowledge: Knowledge): number {
  const { diagnosis, evidence } = knowledge;
  const explained = diagnosis.weaknesses
    .filter(({ name }) => idea.targets.includes(name))
    .map(({ excess, failures }) => Math.max(0, excess) * failures);
  const seen = evidence.get(idea.name);
  const most = Math.max(0, ...explained) + Math.min(seen ?? 0, diagnosis.measured);
  // What was looked for and not found is unlikely; one failure, beside another parent, may have been luck.
  return most * (seen === 0 ? 0.25 : 1) * ((gainOf(idea, knowledge) ?? 1) <= 0 ? 0.5 : 1);
}

/** Those that fit into one harness, the first first. */
function together(ideas: readonly Idea[]): Idea[] {
  const slots = new Set<string>();
  return ideas.filter((idea) => {
    if (slotsOf(idea).some((slot) => slots.has(slot))) return false;
    slotsOf(idea).forEach((slot) => slots.add(slot));
    return true;
  });
}

/** In the same order, but ideas on parts that none before them touches come first. */
function spread(ideas: readonly Idea[]): Idea[] {
  const axes = together(ideas);
  return [...axes, ...ideas.filter((idea) => !axes.includes(idea))];
}

function sameNames(a: readonly Idea[], b: readonly Idea[]): boolean {
  return a.length === b.length && a.every((idea) => b.includes(idea));
}

function wasTried(set: readonly Idea[], { incumbent, weights, tried }: Knowledge): boolean {
  const names = set.map(({ name }) => name).sort();
  return tried.some(
    (one) =>
      one.parent === incumbent.folder &&
      one.weights === weights &&
      one.ideas.length === names.length &&
      one.ideas.toSorted().every((name, place) => name === names[place]),
  );
}
