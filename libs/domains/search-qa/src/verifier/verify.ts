import type { Segment } from '@whale/contracts';
import type { DomainVerdict, VerifyInput } from '@whale/domain-api';
import { normalise } from './normalise.ts';

/** What the verifier knows of a task and a harness does not. */
export interface AnswerKey {
  hops: 1 | 2;
  gold: readonly string[];
  /** For each fact that the question needs, in order: the sentences of its current document. */
  evidence: readonly (readonly string[])[];
}

/** No accepted form of an answer is longer, in characters; a longer text is refused unread. */
const LONGEST_ANSWER = 80;
/** Most characters of one segment that the diagnostics look at. */
const LONGEST_SEGMENT = 20_000;

const MODEL_TURN = /^(?:search|answer): \S[^\n]*$/u;

/**
 * Exact match: the whole answer, normalised, must be one accepted form and nothing else. So several candidates, a
 * passage that holds the answer, a sentence around it and an empty answer all fail, without a rule for each.
 */
export function isCorrect(answer: string, gold: readonly string[]): boolean {
  if (answer.length > LONGEST_ANSWER) return false;
  const given = normalise(answer);
  return given !== '' && gold.some((accepted) => normalise(accepted) === given);
}

/** The verdict of one rollout; see `DIAGNOSTICS` for what each diagnostic means. Total: never throws. */
export function verifyAgainst(key: AnswerKey, { end, trajectory }: VerifyInput): DomainVerdict {
  const reward = end.kind === 'answered' && isCorrect(end.answer, key.gold) ? 1 : 0;
  const shown = shownToModel(trajectory);
  const seen = key.evidence.map((sentences) =>
    sentences.some((sentence) => shown.includes(` ${normalise(sentence)} `)),
  );
  const retrieval = seen.at(-1) === true;
  const turns = modelTurns(trajectory);
  return {
    reward,
    diagnostics: {
      format: turns.length > 0 && turns.every((turn) => MODEL_TURN.test(turn.text.trim())),
      retrieval,
      ...(retrieval ? { extraction: reward === 1 } : {}),
      truncation: end.kind === 'truncated',
      hops: seen.filter(Boolean).length / key.evidence.length,
    },
  };
}

/** What the model itself said: an assistant message that the harness wrote carries no tokens beside those that do. */
function modelTurns(trajectory: readonly Segment[]): Segment[] {
  const turns = trajectory.filter((segment) => segment.source === 'model');
  const sampled = turns.filter((segment) => segment.tokens !== undefined);
  return sampled.length > 0 ? sampled : turns;
}

/** The normalised text of what came before the model as documents: user and tool segments. */
function shownToModel(trajectory: readonly Segment[]): string {
  return trajectory
    .filter((segment) => segment.source === 'tool' || segment.source === 'user')
    .map((segment) => ` ${normalise(segment.text.slice(0, LONGEST_SEGMENT))} `)
    .join('\n');
}

/** One sentence for each diagnostic, read by people and by proposers. */
export const DIAGNOSTICS = {
  format: 'True when every model turn was one line `search: …` or `answer: …`; false also when the model never spoke.',
  retrieval:
    'True when the current document that holds the answer (the newest version of the last fact) stood in a prompt of the model.',
  extraction: 'True when the answer was accepted, reported only where `retrieval` is true.',
  truncation: 'True when the harness ended without an answer or out of a budget (turns, tokens, context, effects).',
  hops: 'Share, in [0, 1], of the facts the question needs whose current document stood in a prompt of the model.',
} as const;
