import { InputError, rng, type Rng } from '@whale/kernel';
import { splitNames } from '../atlas/names.ts';
import { drawQuestions } from '../atlas/questions.ts';
import { inventWorld } from '../atlas/world.ts';
import type { Habit } from '../protocol.ts';
import { HABIT_SHARES, type HabitChanges } from './habits.ts';
import { Shelf } from './shelf.ts';
import { teach, type Conversation } from './teacher.ts';

/** Questions asked of one small world before the next one is invented. */
const QUESTIONS_PER_WORLD = 24;
/** More two-hop questions than the tasks have: they are the harder lesson. */
const TWO_HOP_SHARE = 0.5;

export interface CorpusOptions {
  seed: string;
  /** Conversations. */
  size: number;
  /** Another temper of the teacher, for calibrating θ₀. */
  habits?: HabitChanges;
}

/**
 * What θ₀ is pretrained on: `size` conversations of an imperfect teacher, from worlds that no task is drawn from (a
 * seed of another name space, so other names meet in other facts). Lazy and deterministic: a smaller size is a prefix
 * of a larger one. Throws InputError unless `size` is a non-negative integer.
 */
export function* pretrainingCorpus({ seed, size, habits = {} }: CorpusOptions): Generator<Conversation> {
  if (!Number.isInteger(size) || size < 0) throw new InputError(`corpus size must be an integer >= 0, is ${size}`);
  let left = size;
  for (let number = 0; left > 0; number++) {
    const name = `corpus/${seed}/${number}`;
    const random = rng(`search-qa/${name}`);
    const shelf = new Shelf(inventWorld(name, [{ name: 'all', questions: QUESTIONS_PER_WORLD }]));
    for (const question of drawQuestions(random, shelf.world, 'all', QUESTIONS_PER_WORLD, TWO_HOP_SHARE)) {
      for (const conversation of teach(random, shelf, question, pickHabit(random), habits)) {
        if (left === 0) return;
        left -= 1;
        yield conversation;
      }
    }
  }
}

/**
 * The same conversations as plain text, one a string: what a BPE vocabulary is learnt from. Names are broken into their
 * two syllables, so that no merge crosses them: a name then costs two tokens in nineteen of twenty cases, whether the
 * corpus had it or not, instead of one token where it was frequent. About 500 entries are all that this text yields
 * when words are split before merging (measured 487, with 60 characters among them).
 */
export function* vocabularyText(options: CorpusOptions): Generator<string> {
  for (const { messages } of pretrainingCorpus(options)) {
    yield splitNames(messages.map((message) => message.content).join('\n'));
  }
}

function pickHabit(random: Rng): Habit {
  let roll = random.float();
  for (const { habit, share } of HABIT_SHARES) {
    if (roll < share) return habit;
    roll -= share;
  }
  return 'plain';
}
