import type { ProposalRequest } from '../proposer.ts';

/** task.md: all that an agent or a person needs to write candidates, in one file that a prompt can name. */
export function taskPage(request: ProposalRequest, round: number, missing: number, milliseconds: number): string {
  const { incumbent, weightsVersion, promptsOnly } = request;
  return `# Write candidates

Wanted: ${missing} more valid ${missing === 1 ? 'candidate' : 'candidates'}. A candidate is a complete harness, one TypeScript file, that scores better than the
incumbent \`${incumbent.id.slice(0, 12)}\` under the weights ${weightsVersion}. You have ${Math.floor(milliseconds / 1000)} s.

1. Read \`index.md\`: it says what is where. \`domain.md\` tells of the tasks, \`harness.d.ts\` of the types.
2. Read what the best harnesses fail on: \`frontier.json\`, then outcomes and trajectories.
3. For each candidate write two files, with a name of your own for NAME:
   - \`candidates/NAME.ts\`: the whole source
   - \`candidates/NAME.json\`: \`{ "parent": "id of the harness it was made from", "hypothesis": "…", "changes": ["…"] }\`

The hypothesis says what will be better and why, such that the measured score and outcomes can refute it; \`changes\` has one
line for each thing that differs from the parent. Candidates of one batch should try different things.
${promptsOnly ? '\nOnly the strings of `PROMPTS` may differ from the parent; all other code stays as it is.\n' : ''}
A candidate is rejected if it does not parse or type-check, throws or overspends on a task, is the same program as one that
has a score, or holds a question, an answer or the name of the data set. It is judged when you have ended.
${round === 1 ? '' : '\nSome of your candidates were rejected: `candidates/NAME.rejected.json` says at which stage, why, and in which line.\nCorrect those files, or write others.\n'}`;
}
