import type { ArchiveEntry, ProposalRequest } from '../proposer.ts';
import { folderNames } from '../workspace/names.ts';
import type { ClaudeSpec } from './limits.ts';
import { parentIds } from './parents.ts';

/** The first message of a session: what is wanted, and where to begin. It quotes nothing of any task. */
export function briefOf(request: ProposalRequest, spec: ClaudeSpec): string {
  const { count, cycle, iteration, weightsVersion, incumbent, archive } = request;
  const present = archive.filter((entry) => entry.weightsVersion === weightsVersion);
  const folders = folderNames([...parentIds(request)]);
  const folder = (id: string): string => `harnesses/${folders.get(id) ?? id}/`;
  return [
    `Write ${count} ${count === 1 ? 'candidate' : 'candidates'} for iteration ${iteration} of the harness phase in cycle ${cycle}.`,
    '',
    `- The model that runs the harness has the weights ${weightsVersion}; only scores under them can be compared.`,
    `- The incumbent is ${folder(incumbent.id)}${scoreOf(present, incumbent.id)}.`,
    `- ${harnesses(present)} measured under ${weightsVersion}: frontier.json ranks them, history.jsonl has them in order.`,
    ...lastIteration(present, folder),
    ...(request.promptsOnly
      ? ['- PROMPTS ONLY: a candidate may differ from its parent nowhere but inside the strings of PROMPTS.']
      : []),
    `- You have at most ${spec.limits.turns} calls, $${spec.limits.usd}, ${spec.limits.tokens} tokens and ` +
      `${spec.limits.seconds} s; what you have written by then counts.`,
    '',
    'Begin with index.md and domain.md, then the last post-mortem.',
  ].join('\n');
}

function scoreOf(present: readonly ArchiveEntry[], id: string): string {
  const entry = present.findLast(({ harnessId }) => harnessId === id);
  if (entry === undefined || entry.score === null) return '';
  return ` (${Math.round(entry.score * entry.measured)} of ${entry.measured} tasks correct)`;
}

function harnesses(entries: readonly ArchiveEntry[]): string {
  const count = new Set(entries.map(({ harnessId }) => harnessId)).size;
  return count === 1 ? '1 harness was' : `${count} harnesses were`;
}

/** What the last batch under these weights wrote: the hypotheses to be settled first. */
function lastIteration(present: readonly ArchiveEntry[], folder: (id: string) => string): string[] {
  const last = present.at(-1);
  if (last === undefined || last.iteration === 0) return ['- This is the first iteration of the phase.'];
  const ids = present
    .filter(({ cycle, iteration }) => cycle === last.cycle && iteration === last.iteration)
    .map(({ harnessId }) => folder(harnessId));
  return [`- The last iteration, number ${last.iteration}, measured ${ids.join(', ')}.`];
}
