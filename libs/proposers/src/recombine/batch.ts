import type { Rng } from '@whale/kernel';
import type { Move } from './moves.ts';
import type { Surrogate } from './surrogate.ts';

export interface ChosenMove {
  move: Move;
  /** Expected score and its standard deviation, as the archive stands. */
  expected: { mean: number; deviation: number };
}

/** Standard deviations of optimism: what is little known may be better than it looks. */
const OPTIMISM = 1;
/** Breaks ties between moves of which the same is known. */
const JITTER = 0.002;

/**
 * Chooses up to `count` moves, one after the other, each as if those before it were measured already. While there are
 * slots that no chosen move touches, the next one touches none of theirs, so that a batch explores different axes.
 * Every third move exchanges one component only: its score is owed to that component.
 */
export function chooseBatch(
  moves: readonly Move[],
  count: number,
  surrogate: Surrogate,
  variance: number,
  random: Rng,
  used: ReadonlySet<string>,
): ChosenMove[] {
  const chosen: ChosenMove[] = [];
  const slots = new Set(used);
  const keys = new Set<string>();
  const jitter = new Map(moves.map((move) => [move, JITTER * random.float()]));
  let model = surrogate;
  while (chosen.length < count) {
    const singles = chosen.length % 3 === 1;
    const open = moves.filter((move) => !keys.has(move.key));
    const fresh = open.filter((move) => move.changes.every((change) => !slots.has(change.slot)));
    const fitting = fresh.filter((move) => !singles || move.changes.length === 1);
    const best = bestOf([fitting, fresh, open].find((list) => list.length > 0) ?? [], model, jitter);
    if (best === undefined) break;
    chosen.push({ move: best, expected: surrogate.predict(best.composition) });
    keys.add(best.key);
    for (const change of best.changes) slots.add(change.slot);
    model = model.assuming(best.composition, variance);
  }
  return chosen;
}

function bestOf(moves: readonly Move[], model: Surrogate, jitter: ReadonlyMap<Move, number>): Move | undefined {
  let best: Move | undefined;
  let highest = -Infinity;
  for (const move of moves) {
    const { mean, deviation } = model.predict(move.composition);
    const value = mean + OPTIMISM * deviation + (jitter.get(move) ?? 0);
    if (value > highest) {
      highest = value;
      best = move;
    }
  }
  return best;
}
