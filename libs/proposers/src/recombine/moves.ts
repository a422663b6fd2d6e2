import type { Rng } from '@whale/kernel';
import { componentKey } from '../components.ts';
import { exchanged, programKey, type Composition, type Specimen } from './composition.ts';
import { variantOf, type Pool, type Variant } from './pool.ts';

/** One way to make a candidate: components put into a harness of the archive. */
export interface Move {
  kind: 'exchange' | 'crossover' | 'again';
  base: Specimen;
  changes: readonly Variant[];
  /** Where the components come from, for a crossover; the harness itself, for one proposed again. */
  donor: Specimen | null;
  composition: Composition;
  key: string;
}

/** Mixtures looked at for each donor, and combinations when single exchanges run out: beyond these a sample. */
const MOST_MIXTURES = 64;
const MOST_COMBINATIONS = 4_096;

/** Each exchange of one component. */
export function exchanges(base: Specimen, pool: Pool): Move[] {
  return exchangeable(base, pool).map((variant) => move('exchange', base, [variant], null));
}

/** The variants of the base's slots that do not stand in it. */
export function exchangeable(base: Specimen, pool: Pool): Variant[] {
  return [...base.components.values()].flatMap((present) => {
    const key = componentKey(present);
    return (pool.get(present.slot) ?? []).filter((variant) => variant.key !== key);
  });
}

/** The move with one more exchange. */
export function extended({ kind, base, changes, donor }: Move, variant: Variant): Move {
  return move(kind, base, [...changes, variant], donor);
}

/** Mixtures of two harnesses: two or more of the regions in which they differ, but not all. */
export function crossovers(base: Specimen, donor: Specimen, pool: Pool, random: Rng): Move[] {
  const different = differences(base, donor, pool);
  const all = 2 ** different.length;
  // As bits, each set one is a region of the donor.
  const masks = Array.from({ length: Math.min(all, MOST_COMBINATIONS) }, (_, i) =>
    all <= MOST_COMBINATIONS ? i : random.int(all),
  );
  const mixtures = masks
    .map((mask) => different.filter((_, i) => Math.floor(mask / 2 ** i) % 2 === 1))
    .filter((changes) => changes.length > 1 && changes.length < different.length);
  return sample(mixtures, MOST_MIXTURES, random).map((changes) => move('crossover', base, changes, donor));
}

/** A harness of an earlier θ as it stands, as a candidate under the present one. */
export function again(base: Specimen, donor: Specimen, pool: Pool): Move {
  const { composition } = donor;
  const changes = differences(base, donor, pool);
  return { kind: 'again', base, changes, donor, composition, key: programKey(composition) };
}

/** Every combination of variants in the slots of `base` that `isOpen` (by program key), up to a bound. */
export function combinations(base: Specimen, pool: Pool, isOpen: (key: string) => boolean): Move[] {
  const slots = [...base.components.values()].map((present) => {
    const key = componentKey(present);
    const others = (pool.get(present.slot) ?? []).filter((variant) => variant.key !== key);
    return [null, ...others];
  });
  const found: Move[] = [];
  const visit = (depth: number, changes: readonly Variant[]): void => {
    if (found.length >= MOST_COMBINATIONS) return;
    const options = slots[depth];
    if (options === undefined) {
      const made = move('exchange', base, changes, null);
      if (isOpen(made.key)) found.push(made);
      return;
    }
    for (const option of options) visit(depth + 1, option === null ? changes : [...changes, option]);
  };
  visit(0, []);
  return found;
}

function move(kind: Move['kind'], base: Specimen, changes: readonly Variant[], donor: Specimen | null): Move {
  const composition = exchanged(base.composition, changes);
  return { kind, base, changes, donor, composition, key: programKey(composition) };
}

/** The donor's components in the slots that both have and in which they differ. */
function differences(base: Specimen, donor: Specimen, pool: Pool): Variant[] {
  return [...donor.components.values()].flatMap((component) => {
    const present = base.components.get(component.slot);
    if (present === undefined || componentKey(present) === componentKey(component)) return [];
    return variantOf(pool, component) ?? [];
  });
}

function sample<T>(items: readonly T[], most: number, random: Rng): readonly T[] {
  return items.length <= most ? items : random.shuffle(items).slice(0, most);
}
