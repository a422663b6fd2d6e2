import type { Rng } from '@whale/kernel';
import { componentKey, type Component } from '../components.ts';
import { exchanged, programKey, type Composition, type Specimen } from './composition.ts';
import { variantOf, type Pool, type Variant } from './pool.ts';

/** One way to make a candidate: components put into a harness of the archive. */
export interface Move {
  kind: 'one-slot' | 'two-slot' | 'crossover' | 'again';
  base: Specimen;
  changes: readonly Variant[];
  /** Where the components come from, for a crossover; the harness itself, for one proposed again. */
  donor: Specimen | null;
  composition: Composition;
  key: string;
}

/** Pairs and subsets looked at, per harness: beyond these a sample. */
const MOST_PAIRS = 3_000;
const MOST_SUBSETS = 64;

/**
 * All moves from the bases: each single exchange, pairs of exchanges in the first of them, and crossovers of the first
 * with each donor (the regions in which they differ, in every mixture).
 */
export function movesFrom(bases: readonly Specimen[], donors: readonly Specimen[], pool: Pool, random: Rng): Move[] {
  const [first] = bases;
  if (first === undefined) return [];
  const pairs = sample(pairsOf(exchangesIn(first, pool)), MOST_PAIRS, random);
  return [
    ...bases.flatMap((base) => exchangesIn(base, pool).map((change) => move('one-slot', base, [change], null))),
    ...pairs.map((pair) => move('two-slot', first, pair, null)),
    ...donors.flatMap((donor) => crossovers(first, donor, pool, random)),
  ];
}

/** A harness of an earlier θ as it stands, as a candidate under the present one. */
export function moveAgain(base: Specimen, donor: Specimen, pool: Pool): Move {
  const { composition } = donor;
  return {
    kind: 'again',
    base,
    changes: differences(base, donor, pool),
    donor,
    composition,
    key: programKey(composition),
  };
}

function move(kind: Move['kind'], base: Specimen, changes: readonly Variant[], donor: Specimen | null): Move {
  const composition = exchanged(base.composition, changes);
  return { kind, base, changes, donor, composition, key: programKey(composition) };
}

function exchangesIn(base: Specimen, pool: Pool): Variant[] {
  return [...base.components.values()].flatMap((present) => {
    const key = componentKey(present);
    return (pool.get(present.slot) ?? []).filter((variant) => variant.key !== key);
  });
}

function pairsOf(variants: readonly Variant[]): Variant[][] {
  return variants.flatMap((a, i) => variants.slice(i + 1).flatMap((b) => (a.slot === b.slot ? [] : [[a, b]])));
}

function crossovers(base: Specimen, donor: Specimen, pool: Pool, random: Rng): Move[] {
  const different = differences(base, donor, pool);
  const count = 2 ** Math.min(different.length, 20);
  // As bits: a single region is an exchange, and all of them make the donor itself.
  const subsets = Array.from({ length: Math.min(count, 4096) }, (_, i) => (count <= 4096 ? i : random.int(count)));
  return sample(
    subsets
      .map((bits) => different.filter((_, i) => ((bits >> i) & 1) === 1))
      .filter((changes) => changes.length > 1 && changes.length < different.length),
    MOST_SUBSETS,
    random,
  ).map((changes) => move('crossover', base, changes, donor));
}

/** The donor's components in the slots that both have and in which they differ. */
function differences(base: Specimen, donor: Specimen, pool: Pool): Variant[] {
  return [...donor.components.values()].flatMap((component: Component) => {
    const present = base.components.get(component.slot);
    if (present === undefined || componentKey(present) === componentKey(component)) return [];
    return variantOf(pool, component) ?? [];
  });
}

function sample<T>(items: readonly T[], most: number, random: Rng): readonly T[] {
  return items.length <= most ? items : random.shuffle(items).slice(0, most);
}
