import type { EffectRecord, Message, RolloutCompleted, RolloutEnd, Segment } from '@whale/contracts';
import type { Domain, DomainVerdict, Task } from '@whale/domain-api';
import { rng, type JsonValue } from '@whale/kernel';
import { approximateTokens, compileHarness, CONTEXT_TOKENS } from '../../../libs/domains/search-qa/tools/native.ts';
import { reader } from '../../../libs/domains/search-qa/tools/reader.ts';

export interface Rollout {
  end: RolloutEnd;
  trajectory: Segment[];
  effects: EffectRecord[];
  verdict: DomainVerdict;
}

const MOST_EFFECTS = 24;
const compiled = new Map<string, ReturnType<typeof compileHarness>>();
const REPLY_TOKENS = 10;

/** One rollout of a harness with a scripted model, as careless as the teacher of the embedded one. */
export async function rollOut(domain: Domain, source: string, task: Task, seed: string): Promise<Rollout> {
  const speak = reader('careless', rng(seed));
  const tools = domain.tools(task);
  const harness = compiled.get(source) ?? compileHarness(source);
  compiled.set(source, harness);
  const run = harness(task.input, {});
  const effects: EffectRecord[] = [];
  const trajectory: Segment[] = [];
  let result: unknown = undefined;
  while (effects.length < MOST_EFFECTS) {
    const next = run.next(result);
    if (next.done === true) return verified(domain, task, { end: endOf(next.value.answer), trajectory, effects });
    const effect = next.value;
    if (effect.type === 'generate') {
      const reply = replyTo(effect.messages, speak);
      if (reply.finish === 'stop') trajectory.push(...effect.messages.map(segmentOf));
      trajectory.push({ source: 'model', text: reply.text });
      result = reply;
    } else result = await tools.call(effect.name, effect.args);
    effects.push({ effect, result: result as JsonValue });
  }
  return verified(domain, task, { end: { kind: 'truncated', reason: 'effects' }, trajectory, effects });
}

/** As the rollout service tells of it. */
export function completed(
  rollout: Rollout,
  ids: Pick<RolloutCompleted['data'], 'rolloutId' | 'harnessId' | 'taskId' | 'weightsVersion' | 'group'>,
): RolloutCompleted['data'] {
  const { end, trajectory, effects } = rollout;
  return {
    experimentId: 'search',
    attempt: 1,
    domain: { name: 'search-qa', dataset: 'atlas', options: {} },
    sampleIndex: 0,
    samples: [],
    tokens: { prompt: 0, sampled: 0 },
    ...ids,
    end,
    trajectory,
    effects,
  };
}

function replyTo(messages: readonly Message[], speak: (messages: readonly Message[]) => string) {
  if (approximateTokens(messages) > CONTEXT_TOKENS - REPLY_TOKENS) return { text: '', finish: 'context' as const };
  return { text: speak(messages), finish: 'stop' as const };
}

function segmentOf({ role, content }: Message): Segment {
  return { source: role === 'assistant' ? 'env' : role, text: content };
}

function endOf(answer: string | null): RolloutEnd {
  return answer === null ? { kind: 'truncated', reason: 'no_answer' } : { kind: 'answered', answer };
}

async function verified(domain: Domain, task: Task, run: Omit<Rollout, 'verdict'>): Promise<Rollout> {
  return { ...run, verdict: await domain.verify({ task, end: run.end, trajectory: run.trajectory }) };
}
