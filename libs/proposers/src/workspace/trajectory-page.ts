import type { EffectRecord, Message, RolloutCompleted } from '@whale/contracts';
import type { JsonValue } from '@whale/kernel';
import type { TaskResult } from './measurement.ts';
import { indented, jsonLines, oneLine } from './text.ts';

export interface TrajectoryPage {
  /** As its folder and its line of outcomes.jsonl are called. */
  harness: string;
  result: TaskResult;
  rollout: RolloutCompleted['data'];
  /** What the harness saw of the task; undefined where the domain does not know it any more. */
  input: { readonly [key: string]: JsonValue } | undefined;
}

/** One rollout for reading: headings at the margin, everything else indented. */
export function* trajectoryPage({ harness, result, rollout, input }: TrajectoryPage): Generator<string> {
  const { weightsVersion, end, tokens, rolloutId, trajectory, effects } = rollout;
  yield `# ${oneLine(result.taskId, 400)}`;
  yield `harness ${harness} under ${weightsVersion}: ${result.outcome}`;
  yield `end: ${endText(end)}`;
  yield `diagnostics: ${diagnosticsText(result.diagnostics)}`;
  yield `tokens: ${tokens.prompt} prompt, ${tokens.sampled} sampled; ${rolloutId}`;
  if (input !== undefined) yield `\n## Input\n\n${indented(jsonLines(input, 1))}`;
  yield '\n## Trajectory';
  for (const [i, { source, text, tokens: sampled }] of trajectory.entries()) {
    yield `\n### ${i + 1} ${source}${sampled === undefined ? '' : `, ${sampled.length} tokens`}\n\n${indented(text)}`;
  }
  if (effects.length > 0) yield '\n## Effects';
  let before: readonly Message[] = [];
  for (const [i, record] of effects.entries()) {
    yield `\n### ${i + 1} ${effectText(record, before)}`;
    if (record.effect.type === 'generate') before = record.effect.messages;
  }
}

export function endText(end: RolloutCompleted['data']['end']): string {
  switch (end.kind) {
    case 'answered':
      return `answered ${JSON.stringify(oneLine(end.answer, 400))}`;
    case 'truncated':
      return `truncated: ${end.reason}`;
    case 'harness_error':
      return `harness_error ${oneLine(end.code, 80)}: ${oneLine(end.message, 1_000)}`;
    default:
      return end satisfies never;
  }
}

function diagnosticsText(diagnostics: TaskResult['diagnostics']): string {
  const all = Object.entries(diagnostics).map(([name, value]) => `${name}=${oneLine(String(value), 200)}`);
  return all.join(' ') || 'none';
}

/** Messages that the effect before had as well are not written again: a conversation would grow with its square. */
function effectText({ effect, result }: EffectRecord, before: readonly Message[]): string {
  if (effect.type === 'tool') {
    const { name, args } = effect;
    return `tool ${oneLine(name, 80)}\n\n${indented(`args ${jsonLines(args, 1)}\nresult ${jsonLines(result, 1)}`)}`;
  }
  const { messages, stop, maxTokens } = effect;
  const settings = [
    ...(stop === undefined ? [] : [`stop ${JSON.stringify(stop)}`]),
    ...(maxTokens === undefined ? [] : [`maxTokens ${maxTokens}`]),
  ];
  const same = commonPrefix(before, messages);
  const parts = [
    ...(same === 0 ? [] : [indented(`messages 1 to ${same}: as in the generate before`)]),
    ...messages
      .slice(same)
      .map(({ role, content }, i) => `  message ${same + i + 1}, ${role}:\n${indented(content, 4)}`),
    indented(`result ${jsonLines(result, 1)}`),
  ];
  return `${['generate', ...settings].join(' ')}\n\n${parts.join('\n')}`;
}

function commonPrefix(a: readonly Message[], b: readonly Message[]): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i]?.role === b[i]?.role && a[i]?.content === b[i]?.content) i++;
  return i;
}
