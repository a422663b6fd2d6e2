import type { Domain, Task } from '@whale/domain-api';
import type { CheckResult, HarnessChecker, SmokeRun } from '@whale/harness-sandbox';
import { sha256, type JsonValue } from '@whale/kernel';
import type { Draft, Rejection } from '@whale/proposers';

/** What a draft is judged by besides its own text. */
export interface Bench {
  domain: Domain;
  /** Ids that are taken: scored under the present θ, or valid in this batch. */
  taken: ReadonlySet<string>;
  /** Sources by id of all harnesses that may be a parent. */
  parents: ReadonlyMap<string, string>;
}

/** null: the draft is a valid candidate. Rejects for infrastructure only. */
export async function judge(
  draft: Draft,
  bench: Bench,
  checker: Pick<HarnessChecker, 'check'>,
): Promise<Rejection | null> {
  const id = sha256(draft.source);
  if (bench.taken.has(id)) {
    return {
      stage: 'duplicate',
      message: `harness ${id.slice(0, 12)} has a score already or is in this batch`,
      line: null,
    };
  }
  if (!bench.parents.has(draft.parent)) {
    return { stage: 'parent', message: `the parent ${draft.parent} is neither in the archive nor h₀`, line: null };
  }
  const { domain } = bench;
  const result = await checker.check(draft.source, { domainTypes: domain.harnessTypes, smoke: smokeRuns(domain) });
  return result.ok ? null : rejectionOf(result);
}

function rejectionOf({ stage, message, hint, line }: Exclude<CheckResult, { ok: true }>): Rejection {
  return { stage, message: hint === undefined ? message : `${message} (${hint})`, line: line ?? null };
}

/** Characters of the echoing model's replies. */
const ECHO = 80;

/**
 * Runs on real tasks of D_harness with the domain's own tools and a model that says nothing, then one that repeats the
 * end of what it is told. What the harness answers does not matter, only that it neither throws nor overspends.
 */
function smokeRuns(domain: Domain): SmokeRun[] {
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
