import { standings, type Frontier } from './frontier.ts';
import { scoreWithInterval, type Measurement } from './measurement.ts';
import { oneLine } from './text.ts';
import type { WorkspaceView } from './view.ts';

/** Harnesses in the table; all are in history.jsonl. */
const MOST_ROWS = 40;

export interface WorkspaceCounts {
  trajectories: number;
  /** Rollouts whose trajectories are not on the log (any more). */
  missing: number;
}

/** index.md: what is where, how much of it, and who leads. */
export function indexPage(
  view: WorkspaceView,
  { incumbent, unsolved }: Frontier,
  { trajectories, missing }: WorkspaceCounts,
): string {
  const { harnesses, tasks, weights, history } = view;
  const ranked = standings(view);
  const measured = [...new Set(harnesses.flatMap(({ measurements }) => measurements.map((one) => one.weights)))];
  const iterations = new Set(history.flatMap((entry) => (entry.kind === 'requested' ? [entry.data.iterationId] : [])))
    .size;
  return [
    `# Harness search of ${view.experimentId}`,
    '',
    ...request(view),
    `Weights: ${weights}. Scores are shares of the ${tasks.length} tasks of D_harness, one rollout a task; only scores`,
    `under the same weights compare. Measured under: ${measured.join(', ') || 'none'}.`,
    '',
    `${harnesses.length} harnesses, ${iterations} iterations so far, ${trajectories} trajectories.`,
    ...(missing === 0
      ? []
      : [`${missing} trajectories are not on the log: their lines of outcomes.jsonl have no path.`]),
    '',
    `## Frontier under ${weights}`,
    '',
    `Incumbent: ${incumbent ?? 'none'}. Tasks that no harness has solved: ${unsolved.length} (frontier.json).`,
    '',
    '| harness | score | 95% interval | correct | hypothesis |',
    '| --- | --- | --- | --- | --- |',
    ...ranked
      .slice(0, MOST_ROWS)
      .map(({ harness, measurement }) => row(harness, measurement, hypothesis(view, harness))),
    ...(ranked.length > MOST_ROWS ? ['', `${ranked.length - MOST_ROWS} more are in history.jsonl.`] : []),
    '',
    LAYOUT,
  ].join('\n');
}

function request({ request }: WorkspaceView): string[] {
  if (request === null) return ['As of now.'];
  const { cycle, iteration, attempt, count, promptsOnly } = request;
  return [
    `Cycle ${cycle}, iteration ${iteration}${attempt > 1 ? `, attempt ${attempt}` : ''}: ${count} candidates are wanted.`,
    ...(promptsOnly ? ['A candidate may differ from its parent only inside the strings of PROMPTS.'] : []),
  ];
}

function hypothesis({ harnesses }: WorkspaceView, folder: string): string {
  const proposal = harnesses.find((one) => one.folder === folder)?.proposals.at(-1);
  return proposal === undefined ? 'h₀' : oneLine(proposal.hypothesis, 160).replaceAll('|', '\\|');
}

function row(harness: string, measurement: Measurement, text: string): string {
  const percent = (share: number | null | undefined) => (share == null ? '–' : (100 * share).toFixed(1));
  const interval = scoreWithInterval(measurement);
  const { score, correct, measured } = measurement;
  const range = `${percent(interval?.low)} to ${percent(interval?.high)}`;
  return `| ${harness} | ${percent(score)} | ${range} | ${correct} of ${measured} | ${text} |`;
}

const LAYOUT = `## What is where

- \`domain.md\`: the domain, its tools, what each diagnostic means
- \`harness.d.ts\`: the types that a harness is checked against
- \`frontier.json\`: who is best, as a whole, by diagnostic and by task; one line a task
- \`history.jsonl\`: one line for each phase, iteration, candidate and rejection, oldest first: hypothesis, parent, changes,
  score, whether and why it was accepted, and the tasks that it gained and lost against its parent
- \`harnesses/<harness>/harness.ts\`: the source; \`parent.diff\`: what differs from its parent
- \`harnesses/<harness>/score.json\`: its score under each weights version, the newest first
- \`harnesses/<harness>/outcomes.jsonl\`: one line for each weights version and task: outcome, diagnostics, answer, and the
  path of its trajectory
- \`harnesses/<harness>/trajectories/<weights>/<task>.md\`: input, all segments and all effects of one rollout
- \`rejected/\`: sources of candidates that failed the check; why is in history.jsonl
- \`candidates/\`: empty; a proposer that is an external command writes its candidates here

A harness is named by the beginning of its id; score.json has the whole. A file that would be larger than 256 KiB goes on
in \`name~2.ext\`, \`name~3.ext\` and so on. In a trajectory headings stand at the margin, texts are indented, and a line
of more than 2,000 characters is broken with ↩ at its end.

## Finding things

- failures of one harness: grep \`"outcome":"(incorrect|truncated|harness_error)"\` in its outcomes.jsonl
- tasks that fail by one diagnostic: grep \`"retrieval":false\` in outcomes.jsonl
- what a task needed, over all harnesses: grep its id in frontier.json, then its trajectories
- what has been tried: grep \`"kind":"candidate"\` in history.jsonl; what was refused: \`"kind":"rejected"\`
- what every harness asked a tool: grep \`^  args\` in a trajectories folder
`;
