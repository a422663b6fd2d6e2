import type Anthropic from '@anthropic-ai/sdk';
import { formatIssues } from '@whale/contracts';
import { sha256, type JsonValue } from '@whale/kernel';
import { z } from 'zod';
import type { Draft, ProposalRequest, Rejection } from '../proposer.ts';
import type { ProposalSession } from '../session.ts';
import { callTool } from '../tools/call.ts';
import { readingTools } from '../tools/reading-tools.ts';
import { done, refused, type ToolResult, type WorkspaceTool } from '../tools/tool.ts';
import { CheckInput, MOST_TRIED_TASKS, TryInput, WriteInput } from './candidate-inputs.ts';
import { parentIds, resolveParent } from './parents.ts';
import { rejectionLine, rejectionText } from './rejection-text.ts';
import { CHECK, TRY, WRITE } from './tool-names.ts';
import { trialsText } from './trial-text.ts';

/** Stages at which a source cannot run at all. */
const UNRUNNABLE = new Set<Rejection['stage']>(['parent', 'size', 'parse', 'structure', 'types']);

const WRITE_DESCRIPTION =
  'Writes one candidate. It is judged at once, by all the checks of check_candidate, and the answer says whether it ' +
  'counts or at which stage, line and why it was rejected. What counts is measured on every task that harnesses are ' +
  'scored on, and cannot be taken back.';

/** The tools of one session. */
export class Toolbox {
  readonly #parents: ReadonlySet<string>;
  readonly #tasks: ReadonlySet<string>;
  readonly #session: ProposalSession;
  readonly #tools: readonly WorkspaceTool[];
  /** Ids of the sources that were written in this session, with the names that they had. */
  readonly #written = new Map<string, string>();

  constructor(request: ProposalRequest, session: ProposalSession) {
    this.#parents = parentIds(request);
    this.#tasks = new Set(request.domain.tasks('harness').map(({ id }) => id));
    this.#session = session;
    this.#tools = [...readingTools, this.#check(), this.#try()];
  }

  /** In the same order in every session, so that the prompts of all begin alike. */
  get definitions(): Anthropic.Tool[] {
    const described = [...this.#tools, { name: WRITE, description: WRITE_DESCRIPTION, input: WriteInput }];
    return described.map(({ name, description, input }) => {
      const { $schema: _, ...schema } = z.toJSONSchema(input);
      return { name, description, input_schema: schema as Anthropic.Tool.InputSchema };
    });
  }

  /** Any tool but `write_candidate`. */
  async run(name: string, input: JsonValue): Promise<ToolResult> {
    const tool = this.#tools.find((one) => one.name === name);
    if (tool === undefined) {
      return refused(`There is no tool ${name}: there are ${this.definitions.map((one) => one.name).join(', ')}.`);
    }
    const { signal } = this.#session;
    return callTool(tool, input, { root: await this.#session.workspace(), signal });
  }

  /** The candidate that the input of a `write_candidate` is, or why it is none; to be called once for each, in order. */
  draft(input: JsonValue): { draft: Draft } | ToolResult {
    const parsed = WriteInput.safeParse(input);
    if (!parsed.success) return refused(`The input of ${WRITE} is not valid:\n${formatIssues(parsed.error, input)}`);
    const { name, source, hypothesis, changes } = parsed.data;
    const parent = resolveParent(parsed.data.parent, this.#parents);
    if ('problem' in parent) return refused(parent.problem);
    const id = sha256(source);
    const before = this.#written.get(id);
    if (before !== undefined) return refused(`This very text was written before, as ${before}. Change what it does.`);
    this.#written.set(id, name);
    return { draft: { source, parent: parent.id, hypothesis, changes } };
  }

  /** What the model is told of a candidate that was judged. */
  verdict(draft: Draft, rejection: Rejection | null): ToolResult {
    const name = this.#written.get(sha256(draft.source)) ?? 'candidate';
    if (rejection === null)
      return done(`${name} is a valid candidate: it will be measured. Its id is ${sha256(draft.source)}.`);
    const text = `${rejectionText(rejection, draft.source)}\nIt does not count. Mend it and write it again, or try something else.`;
    return { ...refused(text), error: `rejected (${rejectionLine(rejection)})` };
  }

  #check(): WorkspaceTool<CheckInput> {
    return {
      name: CHECK,
      description:
        'Judges a candidate as write_candidate does, without writing it: parse, structure, types, leaks, a run on ' +
        'recorded tasks, whether it behaves like a harness that is known already. Costs no rollout and does not count.',
      input: CheckInput,
      run: async (input) => {
        const judged = await this.#judge(input);
        if (judged === null) return done('It passes all checks: write_candidate would take it.');
        return 'stage' in judged ? done(rejectionText(judged, input.source)) : judged;
      },
    };
  }

  #try(): WorkspaceTool<TryInput> {
    return {
      name: TRY,
      description:
        `Runs a candidate on up to ${MOST_TRIED_TASKS} tasks, with live tools and the replies that the model is on ` +
        'record for. Shows each effect with its result. A trial ends where the harness asks the model something that ' +
        'nobody has asked before. Costs no rollout and tells nothing of the score.',
      input: TryInput,
      run: async (input) => {
        const unknown = input.task_ids.filter((id) => !this.#tasks.has(id));
        if (unknown.length > 0) {
          return refused(
            `Not among the tasks that harnesses are scored on: ${unknown.join(', ')}. See an outcomes.jsonl.`,
          );
        }
        const judged = await this.#judge(input);
        if (judged !== null && !('stage' in judged)) return judged;
        const problem = judged === null ? [] : [rejectionText(judged, input.source)];
        if (judged !== null && UNRUNNABLE.has(judged.stage))
          return { ...refused(problem.join('')), error: rejectionLine(judged) };
        const trials = await this.#session.tryOut(input.source, [...new Set(input.task_ids)]);
        return done([...problem, trialsText(trials)].join('\n\n'));
      },
    };
  }

  async #judge({ source, parent: written }: CheckInput): Promise<Rejection | ToolResult | null> {
    const parent = resolveParent(written, this.#parents);
    if ('problem' in parent) return refused(parent.problem);
    return this.#session.check({ source, parent: parent.id, hypothesis: '', changes: [] });
  }
}
