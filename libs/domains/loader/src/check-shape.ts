import { isDeepStrictEqual } from 'node:util';
import { Split } from '@whale/contracts';
import type { Domain, Task } from '@whale/domain-api';
import { describeError, InputError } from '@whale/kernel';
import type { z } from 'zod';
import { DomainShape, GoldAnswers, misfits, taskNamed, tasksOf } from './shapes.ts';

/** What a domain says once and for all. */
export interface CheckedParts {
  parts: Pick<
    Domain,
    'name' | 'dataset' | 'seedHarness' | 'components' | 'diagnostics' | 'description' | 'harnessTypes'
  >;
  tasks: Readonly<Record<Split, readonly Task[]>>;
}

/** Splits that every strategy needs; `validation` may be empty. */
const NEEDED_SPLITS = ['weight', 'harness', 'test'] as const;
/** Tasks a split that are looked up; `whale domain check` looks up all. */
const LOOKED_UP = 50;
const MOST_FAULTS = 5;

/**
 * Said before an experiment begins, not by a failure in the middle of it. Throws InputError that says what does not fit
 * the API, and where.
 */
export function checkShape(domain: Domain, name: string): CheckedParts {
  const refuse = (faults: readonly string[]): never => {
    const more = faults.length > MOST_FAULTS ? `; and ${faults.length - MOST_FAULTS} more` : '';
    const listed = faults.slice(0, MOST_FAULTS).join('; ');
    throw new InputError(`domain.name: what ${name} loads is not a Domain: ${listed}${more}`);
  };
  const shape = DomainShape.safeParse(domain);
  if (!shape.success) return refuse(misfits(shape.error, domain));
  const faults: string[] = [];
  const read = <Schema extends z.ZodType>(schema: Schema, what: string, ask: () => unknown) => {
    const { value, problems } = asked(schema, what, ask);
    faults.push(...problems);
    return value;
  };
  const listed = (split: Split): Task[] => read(tasksOf(split), `tasks('${split}')`, () => domain.tasks(split)) ?? [];
  const tasks = {
    weight: listed('weight'),
    harness: listed('harness'),
    validation: listed('validation'),
    test: listed('test'),
  };
  if (faults.length > 0) return refuse(faults);
  for (const split of NEEDED_SPLITS) if (tasks[split].length === 0) faults.push(`tasks('${split}') must not be empty`);
  faults.push(...repeatedIds(Split.options.flatMap((split) => tasks[split])));
  for (const task of Split.options.flatMap((split) => sample(tasks[split]))) {
    const id = JSON.stringify(task.id);
    const found = read(taskNamed(task.id), `task(${id})`, () => domain.task(task.id));
    if (found !== undefined && !isListedAs(found, task)) {
      faults.push(`task(${id}) must give what tasks('${task.split}') lists`);
    }
    read(GoldAnswers, `gold(${id})`, () => domain.gold(task.id));
  }
  if (faults.length > 0) return refuse(faults);
  const { name: own, dataset, seedHarness, components, diagnostics, description, harnessTypes } = shape.data;
  return { parts: { name: own, dataset, seedHarness, components, diagnostics, description, harnessTypes }, tasks };
}

/** Whether what `task()` has found is the task that its split lists. */
export function isListedAs(found: Task, listed: Task): boolean {
  return found.split === listed.split && isDeepStrictEqual(found.input, listed.input);
}

function asked<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
  ask: () => unknown,
): { value?: z.output<Schema>; problems: string[] } {
  let value: unknown;
  try {
    value = ask();
  } catch (cause) {
    return { problems: [`${what} threw: ${describeError(cause).message}`] };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: value as z.output<Schema>, problems: [] };
  return { problems: misfits(parsed.error, value).map((problem) => `${what}: ${problem}`) };
}

function repeatedIds(tasks: readonly Task[]): string[] {
  const splits = new Map<string, Split>();
  return tasks.flatMap(({ id, split }) => {
    const before = splits.get(id);
    splits.set(id, split);
    return before === undefined ? [] : [`the id ${id} is in ${before} and in ${split}`];
  });
}

/** Spread evenly, the first and the last among them. */
function sample(tasks: readonly Task[]): Task[] {
  if (tasks.length <= LOOKED_UP) return [...tasks];
  const step = (tasks.length - 1) / (LOOKED_UP - 1);
  return Array.from({ length: LOOKED_UP }, (_, i) => tasks[Math.round(i * step)] as Task);
}
