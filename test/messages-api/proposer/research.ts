import type { Conversation } from '../brain.ts';
import type { Knowledge } from './choose.ts';
import { diagnose, showing, type Diagnosis, type TaskOutcome } from './diagnosis.ts';
import { postMortem, triedIn } from './history.ts';
import type { Idea } from './idea.ts';
import { codeIdeas, promptIdeas } from './ideas.ts';
import { jsonLinesOf, jsonOf, readBeginnings, readFiles, type Reading } from './reading.ts';

export interface Findings {
  knowledge: Knowledge;
  /** Ids of tasks that fail by the weakest diagnostic. */
  examples: readonly string[];
}

const MOST_READ = 3;
const MOST_LINES = 120;

/** What the workspace says, or why nothing can be done with it. */
export function* research(conversation: Conversation): Reading<Findings | string> {
  const [index, frontierText, domain, history] = yield* readFiles(
    ['index.md', 'frontier.json', 'domain.md', 'history.jsonl'],
    { thinking: 'I begin with what is here, what is asked, and what has been tried.', text: 'I look around first.' },
  );
  const frontier = frontierOf(frontierText);
  const folder = frontier.incumbent;
  if (folder === undefined) return 'The workspace names no incumbent: there is nothing to start from.';
  const tried = triedIn(jsonLinesOf(history));
  const [source, , outcomesText] = yield* readFiles(
    ['harness.ts', 'score.json', 'outcomes.jsonl'].map((name) => `harnesses/${folder}/${name}`),
    { text: [postMortem(tried), `Now the incumbent, ${folder}.`].filter(Boolean).join('\n') },
  );
  if (source === undefined) return `The incumbent ${folder} has no harness.ts that I can read.`;
  const outcomes = outcomesOf(outcomesText, folder, frontier.weights);
  const diagnosis = diagnose(outcomes);
  const ideas = ideasFor(conversation, index, domain);
  const failed = failures(outcomes, diagnosis);
  const evidence = yield* gather(ideas, folder, frontier.weights, wordsOf(diagnosis));
  yield* readTrajectories(failed);
  const knowledge = { incumbent: { folder, source }, weights: frontier.weights, ideas, diagnosis, tried, evidence };
  return { knowledge, examples: failed.map(({ task }) => task) };
}

/** With prompts only, what is code is of no use. */
function ideasFor({ messages }: Conversation, index: string | undefined, domain: string | undefined): Idea[] {
  const first = messages[0]?.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const promptsOnly = /PROMPTS ONLY|only inside the strings of PROMPTS/u.test(`${first}\n${index}`);
  const prompts = promptIdeas(domain ?? '');
  return promptsOnly ? prompts : [...codeIdeas.slice(0, 3), ...prompts, ...codeIdeas.slice(3)];
}

function frontierOf(text: string | undefined): { incumbent: string | undefined; weights: string | undefined } {
  const value = jsonOf(text) as { incumbent?: unknown; weights?: unknown; best?: { harness?: unknown }[] } | undefined;
  const incumbent = value?.incumbent ?? value?.best?.[0]?.harness;
  return {
    incumbent: typeof incumbent === 'string' ? incumbent : undefined,
    weights: typeof value?.weights === 'string' ? value.weights : undefined,
  };
}

/** Those under the present weights, where the lines tell of weights. */
function outcomesOf(text: string | undefined, folder: string, weights: string | undefined): TaskOutcome[] {
  return jsonLinesOf(text)
    .filter((line) => line['weights'] === undefined || line['weights'] === weights)
    .map(({ task, outcome, diagnostics, trajectory }) => ({
      task: String(task),
      outcome: String(outcome),
      diagnostics: typeof diagnostics === 'object' && diagnostics !== null ? { ...diagnostics } : {},
      trajectory: typeof trajectory === 'string' ? `harnesses/${folder}/${trajectory}` : undefined,
    }));
}

function failures(outcomes: readonly TaskOutcome[], { weakest }: Diagnosis): TaskOutcome[] {
  const lacking = new Set(weakest?.tasks);
  return outcomes.filter(({ task, outcome }) => (weakest === undefined ? outcome !== 'correct' : lacking.has(task)));
}

/** Counts the lines that speak for each idea. */
function* gather(
  ideas: readonly Idea[],
  folder: string,
  weights: string | undefined,
  thinking: string,
): Reading<Map<string, number>> {
  const asked = ideas.flatMap(({ name, evidence }) => (evidence === undefined ? [] : [{ name, evidence }]));
  if (asked.length === 0) return new Map();
  const places = {
    trajectories: `harnesses/${folder}/trajectories${weights === undefined ? '' : `/${weights}`}`,
    outcomes: `harnesses/${folder}/outcomes.jsonl`,
  };
  const answers = yield {
    thinking,
    text: 'How often does it happen?',
    calls: asked.map(({ evidence }) => ({
      name: 'grep',
      input: { pattern: evidence.pattern, path: places[evidence.in], max_matches: 5 },
    })),
  };
  return new Map(asked.map(({ name }, place) => [name, matchesIn(answers[place])]));
}

function matchesIn(answer: { text: string; isError: boolean } | undefined): number {
  if (answer === undefined || answer.isError) return 0;
  const all = /\[.*: (\d+) in \d+ of \d+ files?/u.exec(answer.text)?.[1];
  return all === undefined ? answer.text.split('\n').filter((line) => /^\S+:\d+: /u.test(line)).length : Number(all);
}

function* readTrajectories(failed: readonly TaskOutcome[]): Reading<void> {
  const paths = failed.flatMap(({ trajectory }) => (trajectory === undefined ? [] : [trajectory])).slice(0, MOST_READ);
  if (paths.length > 0) yield* readBeginnings(paths, MOST_LINES, { text: 'What do such failures look like?' });
}

function wordsOf({ correct, measured, weakest }: Diagnosis): string {
  if (weakest === undefined) return `${correct} of ${measured} tasks are right; no diagnostic tells the others apart.`;
  return (
    `${correct} of ${measured} tasks are right. ${weakest.failures} of the ${measured - correct} failures ` +
    `${showing(weakest.name)}, which successes do ${(100 * weakest.excess).toFixed(0)} points less often: it comes first.`
  );
}
