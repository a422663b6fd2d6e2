import type { Domain, Task } from '@whale/domain-api';
import type { SmokeRun } from '@whale/harness-sandbox';
import type { JsonValue } from '@whale/kernel';

/** Characters of the echoing model's replies. */
const ECHO = 80;

/**
 * Runs on real tasks of D_harness with the domain's own tools and a model that says nothing, then one that repeats the
 * end of what it is told. What the harness answers does not matter, only that it neither throws nor overspends.
 */
export function smokeRuns(domain: Domain): SmokeRun[] {
  const [first, second = first] = domain.tasks('harness');
  if (first === undefined || second === undefined) return [];
  return [smokeRun(domain, first, () => ''), smokeRun(domain, second, (told) => told.slice(-ECHO))];
}

function smokeRun(domain: Domain, task: Task, say: (told: string) => string): SmokeRun {
  const tools = domain.tools(task);
  return {
    task: { ...task.input },
    onEffect: async (effect) => {
      if (effect.type === 'tool') return tools.call(effect.name, effect.args as Record<string, JsonValue>);
      return { text: say(effect.messages.at(-1)?.content ?? ''), finish: 'stop' };
    },
  };
}
