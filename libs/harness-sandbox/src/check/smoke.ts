import type { Effect, EffectRecord, RolloutEnd } from '@whale/contracts';
import type { JsonValue } from '@whale/kernel';
import type { HarnessSandbox } from '../harness-sandbox.ts';
import type { HarnessLimitsInput } from '../limits.ts';
import type { EffectHandler } from '../rollout-run.ts';

/** One execution of a candidate before it costs a rollout. */
export interface SmokeRun {
  task: JsonValue;
  limits?: HarnessLimitsInput;
  /** Answers the effects; `fromRecords` makes one of recorded effects, and is the default without any. */
  onEffect?: EffectHandler;
  /**
   * Whether a run that goes over `turns` or `effects` is refused (the default) or passes. Pass it where the answers are
   * too poor for a harness to end by itself.
   */
  truncated?: 'refuse' | 'pass';
}

const EMPTY_REPLY = { text: '', finish: 'stop' };

/**
 * Results of an earlier rollout for a harness that need not yield the same effects: each `generate`, and each tool by
 * name, gets the next recorded result of its kind, and when they are used up the last again. Without one: an empty
 * reply, or `{ error }`.
 */
export function fromRecords(records: readonly EffectRecord[]): EffectHandler {
  const byKind = new Map<string, EffectRecord['result'][]>();
  for (const { effect, result } of records) {
    const list = byKind.get(kindOf(effect));
    if (list === undefined) byKind.set(kindOf(effect), [result]);
    else list.push(result);
  }
  const used = new Map<string, number>();
  return (effect) => {
    const kind = kindOf(effect);
    const results = byKind.get(kind);
    if (results === undefined) return effect.type === 'generate' ? EMPTY_REPLY : { error: 'no recorded result' };
    const index = used.get(kind) ?? 0;
    used.set(kind, index + 1);
    return results[Math.min(index, results.length - 1)];
  };
}

function kindOf(effect: Effect): string {
  return effect.type === 'generate' ? 'generate' : `tool ${effect.name}`;
}

export interface SmokeProblem {
  message: string;
  line?: number;
  column?: number;
  hint?: string;
}

/** undefined: it ended as a harness should. Rejects only for infrastructure. */
export async function smoke(sandbox: HarnessSandbox, source: string, run: SmokeRun): Promise<SmokeProblem | undefined> {
  const { task, limits } = run;
  const onEffect = run.onEffect ?? fromRecords([]);
  const { end, effects } = await sandbox.run({ source, task, limits, onEffect });
  return problemOf(end, effects.length, run.truncated ?? 'refuse');
}

function problemOf(end: RolloutEnd, effects: number, truncated: 'refuse' | 'pass'): SmokeProblem | undefined {
  switch (end.kind) {
    case 'answered':
      return undefined;
    case 'truncated':
      if (end.reason === 'no_answer' || truncated === 'pass') return undefined;
      return {
        message: `it did not end within its ${end.reason} (${effects} effects were answered)`,
        hint: `count against limits.${end.reason} and return { answer } before`,
      };
    case 'harness_error': {
      const at = /^harness\.ts:(\d+)(?::(\d+))?: /.exec(end.message);
      return {
        message: `${end.code}: ${at === null ? end.message : end.message.slice(at[0].length)}`,
        ...(at === null ? {} : { line: Number(at[1]) }),
        ...(at?.[2] === undefined ? {} : { column: Number(at[2]) }),
      };
    }
    default:
      return end satisfies never;
  }
}
