import type { Domain } from '@whale/domain-api';
import { checkHarness, type CheckResult } from '@whale/harness-sandbox';

/** The check of a candidate, with one smoke run on the first task whose model says nothing and whose tools are real. */
export async function checkCandidate(source: string, domain: Domain): Promise<CheckResult> {
  const [task] = domain.tasks('harness');
  const tools = task && domain.tools(task);
  return checkHarness(source, {
    domainTypes: domain.harnessTypes,
    smoke: task
      ? [
          {
            task: task.input,
            truncated: 'pass',
            onEffect: (effect) =>
              effect.type === 'generate'
                ? { text: '', finish: 'stop' }
                : (tools?.call(effect.name, effect.args as never) ?? { error: 'no tools' }),
          },
        ]
      : [],
  });
}
