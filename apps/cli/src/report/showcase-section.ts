import type { RolloutCompleted } from '@whale/contracts';
import { provisionalResult } from '@whale/experiment-view';
import { pairLabel } from '../print/result.ts';
import { plural, shortId } from '../print/text.ts';
import { Html, safe } from './html.ts';
import type { ReportMaterial } from './material.ts';

type Rollout = RolloutCompleted['data'];

/** One test task that (θ₀, h₀) gets wrong and the best pair gets right, side by side. */
export function showcaseSection({ view, showcase, rollouts }: ReportMaterial): Html {
  const { base, best } = provisionalResult(view);
  if (!showcase || !base || !best) return safe``;
  const before = rollouts.get(showcase.before.rolloutId);
  const after = rollouts.get(showcase.after.rolloutId);
  if (!before || !after) return safe``;
  return safe`<section>
    <h2>One task, before and after</h2>
    <p>Test task <code>${showcase.taskId}</code>: a rollout of each pair, step by step.</p>
    <div class="sides">
      ${side(pairLabel(base), before, showcase.before, false)} ${side(pairLabel(best), after, showcase.after, true)}
    </div>
  </section>`;
}

function side(
  label: string,
  rollout: Rollout,
  { correct, measured }: { correct: number; measured: number },
  right: boolean,
): Html {
  const tag = right ? safe`<span class="tag good">right</span>` : safe`<span class="tag bad">wrong</span>`;
  return safe`<div class="side">
    <h3>${label} ${tag}</h3>
    <p class="muted">
      ${rollout.weightsVersion}, harness ${shortId(rollout.harnessId)}; right in ${correct} of
      ${plural(measured, 'rollout')}
    </p>
    ${rollout.trajectory.map(
      ({ source, text }) => safe`<div class="segment ${source}"><small>${source}</small><div>${text}</div></div>`,
    )}
    <p><b>${ending(rollout.end)}</b></p>
  </div>`;
}

function ending(end: Rollout['end']): string {
  switch (end.kind) {
    case 'answered':
      return `Answer: ${end.answer === '' ? '(empty)' : end.answer}`;
    case 'truncated':
      return `No answer: cut off (${end.reason})`;
    case 'harness_error':
      return `No answer: the harness failed (${end.code}: ${end.message})`;
    default:
      return end satisfies never;
  }
}
