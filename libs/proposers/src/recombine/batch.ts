import { turn, type Rng } from '@whale/kernel';
import type { Specimen } from './composition.ts';
import { extended, type Move } from './moves.ts';
import type { Variant } from './pool.ts';
import type { Prediction, Surrogate } from './surrogate.ts';

export interface ChosenMove {
  move: Move;
  /** As the archive stands. */
  expected: Prediction;
}

export interface BatchInput {
  /** No two with the same key. */
  moves: readonly Move[];
  count: number;
  surrogate: Surrogate;
  /** Variance of a candidate's score as a measurement. */
  variance: number;
  /** Valid candidates that the batch has already, and the slots that they explore. */
  place: number;
  slots: ReadonlySet<string>;
  /** What a move from `base` may exchange besides. */
  additions(base: Specimen): readonly Variant[];
  /** Whether a program may be proposed, by its key. */
  isOpen(key: string): boolean;
  random: Rng;
}

/** Standard deviations of optimism: what is little known may be better than it looks. */
const OPTIMISM = 1;
/** Breaks ties between moves of which the same is known. */
const JITTER = 0.002;
/** Moves that are looked at in one turn of the event loop: some milliseconds' worth. */
const MOVES_A_TURN = 32;
/** Components that one candidate exchanges at most, crossovers aside. */
const MOST_EXCHANGES = 4;

/**
 * Chooses up to `count` moves, one after the other, each as if those before it had been measured and had met the
 * expectation, so that what they will tell is not worth asking twice.
 * B1 A move touches none of the slots of those before it, while there are others: a batch explores different axes.
 *    Every third is free of that, and so may put together what looks best by now.
 * B2 A move adds exchanges as long as the outlook gets better: the model tells their effects apart later, when they
 *    stand in other company.
 */
export async function chooseBatch(input: BatchInput): Promise<ChosenMove[]> {
  const { moves, count, surrogate, variance, random } = input;
  const chosen: ChosenMove[] = [];
  const slots = new Set(input.slots);
  const keys = new Set<string>();
  const jitter = new Map(moves.map((move) => [move, JITTER * random.float()]));
  const isOpen = (key: string): boolean => !keys.has(key) && input.isOpen(key);
  let model = surrogate;
  while (chosen.length < count) {
    const value = (move: Move): number => {
      const { mean, deviation } = model.predict(move.composition);
      return mean + OPTIMISM * deviation + (jitter.get(move) ?? 0);
    };
    const open = moves.filter((move) => isOpen(move.key));
    const isFresh = ({ slot }: Variant): boolean => !slots.has(slot);
    const fresh = open.filter((move) => move.changes.every(isFresh));
    const isFree = (input.place + chosen.length) % 3 === 2 || fresh.length === 0;
    const start = await highest(isFree ? open : fresh, value);
    if (start === undefined) break;
    const additions = input.additions(start.base).filter((variant) => isFree || isFresh(variant));
    const move = start.kind === 'exchange' ? await grow(start, additions, value, isOpen) : start;
    chosen.push({ move, expected: surrogate.predict(move.composition) });
    keys.add(move.key);
    for (const change of move.changes) slots.add(change.slot);
    model = model.assuming(move.composition, variance);
  }
  return chosen;
}

/** Adds the best exchange of another slot, again and again, while that makes the move better. */
async function grow(
  start: Move,
  additions: readonly Variant[],
  value: (move: Move) => number,
  isOpen: (key: string) => boolean,
): Promise<Move> {
  let best = start;
  while (best.changes.length < MOST_EXCHANGES) {
    const larger = additions
      .filter((addition) => best.changes.every(({ slot }) => slot !== addition.slot))
      .map((addition) => extended(best, addition))
      .filter((move) => isOpen(move.key));
    const next = await highest(larger, value);
    if (next === undefined || value(next) <= value(best)) break;
    best = next;
  }
  return best;
}

async function highest(moves: readonly Move[], value: (move: Move) => number): Promise<Move | undefined> {
  let best: Move | undefined;
  let most = -Infinity;
  for (const [i, move] of moves.entries()) {
    if (i % MOVES_A_TURN === 0) await turn();
    const worth = value(move);
    if (worth > most) [best, most] = [move, worth];
  }
  return best;
}
