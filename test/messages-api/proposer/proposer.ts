import type { Brain, Conversation, ToolCall } from '../brain.ts';
import { choices, type Choice } from './choose.ts';
import { slotsOf } from './idea.ts';
import { changeOf, postMortem } from './history.ts';
import { hypothesisOf } from './hypothesis.ts';
import { research, type Findings } from './research.ts';
import { repaired, withSlip } from './repair.ts';
import { replaying, type Plan, type ToolAnswer } from './replay.ts';
import type { Reading } from './reading.ts';

/**
 * A proposer that knows its trade: it reads the workspace through the tools that it is offered, finds what the failures
 * of the incumbent have in common, and writes candidates of different mechanisms with hypotheses that can fail. What it
 * has to choose from are its own ideas for harnesses made of regions like those of the search domain.
 */
export function competentProposer(): Brain {
  return replaying(work);
}

function* work(conversation: Conversation): Plan {
  const wanted = wantedIn(conversation);
  const findings = yield* research(conversation);
  if (typeof findings === 'string') return findings;
  const batch = new Batch(findings, new Set(conversation.tools?.map(({ name }) => name)));
  const queue = choices(findings.knowledge);
  let written = 0;
  for (let round = 0; written < wanted && queue.length > 0; round++) {
    const drafts = queue.splice(0, wanted - written).map((choice) => ({ choice, source: choice.source }));
    // Whoever writes the first candidate of a search is quick with it.
    const slip = round === 0 && findings.knowledge.tried.length === 0 ? yield* batch.writeRashly(drafts) : undefined;
    if (slip?.written === true) written++;
    const others = drafts.filter((draft) => draft !== slip?.draft);
    const sound = yield* batch.check(others);
    const [first] = round === 0 ? sound : [];
    const fit = first === undefined || (yield* batch.tryOut(first)) ? sound : sound.slice(1);
    for (const draft of fit) if (yield* batch.write(draft)) written++;
  }
  return closing(written, wanted, findings);
}

interface Draft {
  choice: Choice;
  source: string;
}

/** The candidates of one session. */
class Batch {
  readonly #findings: Findings;
  readonly #tools: ReadonlySet<string>;

  constructor(findings: Findings, tools: ReadonlySet<string>) {
    this.#findings = findings;
    this.#tools = tools;
  }

  /** Writes the first draft that can hold the slip with it in, without a check; then as the rejection says. */
  *writeRashly(drafts: readonly Draft[]): Reading<{ draft: Draft; written: boolean } | undefined> {
    const { source: parent } = this.#findings.knowledge.incumbent;
    for (const draft of drafts) {
      const source = withSlip(draft.source, parent);
      if (source === undefined) continue;
      const [answer] = yield {
        text: 'This one is simple: I write it at once.',
        calls: [this.#writing({ ...draft, source })],
      };
      if (answer?.isError !== true) return { draft, written: true };
      const mended = repaired(source, answer.text);
      const written =
        mended !== undefined &&
        (yield* this.write({ ...draft, source: mended }, 'The message says where it fails: mended.'));
      return { draft, written };
    }
    return undefined;
  }

  /** Those that pass, as they are or mended. */
  *check(drafts: readonly Draft[]): Reading<Draft[]> {
    if (drafts.length === 0 || !this.#tools.has('check_candidate')) return [...drafts];
    const calls = drafts.map((draft) => this.#checking(draft));
    const answers = yield { thinking: axesOf(drafts), text: 'Do they hold?', calls };
    const sound: Draft[] = [];
    for (const [place, draft] of drafts.entries()) {
      const answer = answers[place];
      if (answer === undefined || !isRejection(answer)) sound.push(draft);
      else {
        const source = repaired(draft.source, answer.text);
        if (source !== undefined) sound.push(...(yield* this.check([{ ...draft, source }])));
      }
    }
    return sound;
  }

  /** Whether it runs on tasks that show what it is to mend. */
  *tryOut(draft: Draft): Reading<boolean> {
    const tasks = this.#findings.examples.slice(0, 2);
    if (tasks.length === 0 || !this.#tools.has('try_candidate')) return true;
    const input = { source: draft.source, parent: this.#parent, task_ids: tasks };
    const [answer] = yield {
      text: 'What does the first one do on failures?',
      calls: [{ name: 'try_candidate', input }],
    };
    return answer === undefined || !(answer.isError || /ended: \{"kind":"harness_error"/u.test(answer.text));
  }

  *write(draft: Draft, text?: string): Reading<boolean> {
    const [answer] = yield { ...(text === undefined ? {} : { text }), calls: [this.#writing(draft)] };
    return answer?.isError === false;
  }

  get #parent(): string {
    return this.#findings.knowledge.incumbent.folder;
  }

  #writing({ choice, source }: Draft): ToolCall {
    const { diagnosis, evidence } = this.#findings.knowledge;
    return {
      name: 'write_candidate',
      input: {
        name: choice.ideas
          .map(({ name }) => name)
          .join('-')
          .slice(0, 40)
          .replace(/-+$/u, ''),
        source,
        parent: this.#parent,
        hypothesis: hypothesisOf(choice, diagnosis, evidence),
        changes: choice.ideas.map(changeOf),
      },
    };
  }

  #checking({ source }: Draft): ToolCall {
    return { name: 'check_candidate', input: { source, parent: this.#parent } };
  }
}

function axesOf(drafts: readonly Draft[]): string {
  const ideas = drafts.flatMap(({ choice }) => choice.ideas);
  return ideas.map((idea) => `${idea.name} changes ${slotsOf(idea).join(', ')}: ${idea.because}.`).join('\n');
}

function isRejection({ text, isError }: ToolAnswer): boolean {
  return isError || text.startsWith('Rejected');
}

/** M, as the first message asks for it. */
function wantedIn({ messages }: Conversation): number {
  const [first] = messages;
  const text = first?.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n') ?? '';
  return Number(/\bWrite (\d+) candidates?\b/iu.exec(text)?.[1] ?? 3);
}

function closing(written: number, wanted: number, { knowledge }: Findings): string {
  const lessons = postMortem(knowledge.tried);
  const end =
    written >= wanted
      ? `${written} candidates are written.`
      : `${written} of ${wanted} candidates are written: nothing else that I know is worth a measurement.`;
  return [end, lessons].filter(Boolean).join('\n');
}
