import { Split } from '@whale/contracts';
import type { Task } from '@whale/domain-api';
import { rng, turn } from '@whale/kernel';
import type { AnswerKey } from '../verifier/verify.ts';
import type { AtlasOptions } from './options.ts';
import { drawQuestions, type Question } from './questions.ts';
import { inventWorldInTurns, type World } from './world.ts';

export interface AtlasTasks {
  world: World;
  bySplit: ReadonlyMap<Split, readonly Task[]>;
  byId: ReadonlyMap<string, Task>;
  keys: ReadonlyMap<string, AnswerKey>;
}

/**
 * Invariants:
 * 1. Each split asks of its own province of the world, so no fact, hence no (entity, relation) pair, serves two splits.
 * 2. No question text occurs twice, and none contains one of its accepted answers.
 * 3. Ids are `atlas-<split>-<number>`; same options, same tasks in the same order.
 */
export async function atlasTasks(options: AtlasOptions): Promise<AtlasTasks> {
  const splits = Split.options;
  const world = await inventWorldInTurns(
    options.seed,
    splits.map((split) => ({ name: split, questions: options[split] })),
  );
  const statements = new Map<string, string[]>();
  for (const { states, text } of world.documents) {
    if (states?.current === true) statements.set(states.fact, [...(statements.get(states.fact) ?? []), text]);
  }
  const bySplit = new Map<Split, Task[]>();
  const keys = new Map<string, AnswerKey>();
  for (const split of splits) {
    await turn();
    const random = rng(`atlas/tasks/${options.seed}/${split}`);
    const questions = drawQuestions(random, world, split, options[split], options.twoHop);
    const tasks = questions.map((question, i) => toTask(split, i, question));
    bySplit.set(split, tasks);
    for (const [i, task] of tasks.entries()) {
      const question = questions[i];
      if (question === undefined) continue;
      const evidence = question.facts.map((fact) => statements.get(fact.id) ?? []);
      keys.set(task.id, { hops: question.hops, gold: question.gold, evidence });
    }
  }
  const byId = new Map([...bySplit.values()].flat().map((task) => [task.id, task]));
  return { world, bySplit, byId, keys };
}

function toTask(split: Split, index: number, question: Question): Task {
  const id = `atlas-${split}-${String(index + 1).padStart(4, '0')}`;
  return Object.freeze({ id, split, input: Object.freeze({ question: question.text }) });
}
