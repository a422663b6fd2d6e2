import type { Split } from '@whale/contracts';
import type { Domain, DomainModule, Task } from '@whale/domain-api';
import searchQa from '@whale/domain-search-qa';

/** What stands in all that is sealed, and nowhere else. */
export const CANARY = 'canarybird';

/**
 * The atlas, with a canary in the id and the input of each task that is not of D_harness, and among the gold answers of
 * all tasks.
 */
const canaries: DomainModule = {
  name: 'canaries',
  async load(input) {
    const atlas = await searchQa.load(input);
    const own = new Map<string, { task: Task; original: Task }>();
    const tasks = (split: Split) => atlas.tasks(split).map((original) => ({ original, task: marked(original) }));
    for (const split of ['weight', 'harness', 'validation', 'test'] as const) {
      for (const pair of tasks(split)) own.set(pair.task.id, pair);
    }
    const originalOf = (id: string): Task => own.get(id)?.original as Task;
    return {
      ...atlas,
      tasks: (split) => tasks(split).map(({ task }) => task),
      task: (id) => own.get(id)?.task,
      tools: ({ id }) => atlas.tools(originalOf(id)),
      verify: ({ task, ...rest }) => atlas.verify({ task: originalOf(task.id), ...rest }),
      gold: (id) => [...atlas.gold(originalOf(id).id), `${CANARY} gold of ${id}`],
    } satisfies Domain;
  },
};

function marked(task: Task): Task {
  if (task.split === 'harness') return task;
  return { ...task, id: `${task.id}-${CANARY}`, input: { question: `${String(task.input['question'])} ${CANARY}` } };
}

export default canaries;
