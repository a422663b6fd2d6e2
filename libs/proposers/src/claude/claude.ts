import { EnvironmentError, systemClock, type Clock } from '@whale/kernel';
import type { Draft, ProposalRequest, Proposer, Rejection, SessionEnd } from '../proposer.ts';
import type { ProposalSession } from '../session.ts';
import { refused, type ToolResult } from '../tools/tool.ts';
import { openMessagesApi } from './api.ts';
import { textOf, type ToolUse } from './blocks.ts';
import { briefOf } from './brief.ts';
import { Caller } from './caller.ts';
import type { ClaudeSpec } from './limits.ts';
import { idleTurns, isCut, toolUses, type Turn } from './progress.ts';
import { SessionJournal } from './session-journal.ts';
import { skill } from './skill.ts';
import { Toolbox } from './toolbox.ts';
import { WRITE } from './tool-names.ts';
import type { Frame } from './transcript.ts';

export interface ClaudeOptions {
  /** The key, when it is needed: from the environment of the service and nowhere else. */
  apiKey: () => string | undefined;
  clock?: Clock;
  /** Wait before the second attempt of a call, where the API names none. */
  backoffMilliseconds?: number;
}

/** Replies in a row without a call of a tool, after which the model is taken at its word. */
const MOST_IDLE_TURNS = 2;
const MOST_LAST_WORDS = 500;

/**
 * Claude in a tool loop over the archive as a workspace. Invariants, each named by a test:
 * C1 A call is on record at the most that it can cost before it is made, each reply and result before what follows.
 * C2 What is sent is a function of the request and the journal: after a kill the session goes on as if undisturbed.
 * C3 No call is made that may exceed a limit of the spec, and none that may have been billed goes uncounted.
 * C4 Every tool that is called is answered once, in order; one whose input was cut is not run.
 * C5 The key is in no journal, draft, message or error.
 */
export class Claude implements Proposer {
  readonly #options: ClaudeOptions;

  constructor(options: ClaudeOptions) {
    this.#options = options;
  }

  async *propose(
    request: ProposalRequest,
    session: ProposalSession,
  ): AsyncGenerator<Draft, SessionEnd | void, Rejection | null> {
    const spec = request.proposer;
    if (spec.kind !== 'claude') throw new Error(`the proposer claude was given the settings of ${spec.kind}`);
    const { clock = systemClock } = this.#options;
    const journal = new SessionJournal(session, spec, clock);
    const api = await openMessagesApi({ key: this.#key(), baseUrl: spec.baseUrl, clock });
    await journal.settle();
    const toolbox = new Toolbox(request, session);
    const frame = frameOf(request, spec, toolbox);
    const { signal } = session;
    const { backoffMilliseconds = 1_000 } = this.#options;
    const caller = new Caller({ api, journal, frame, signal, backoffMilliseconds, seed: request.seed });
    const loop = new Loop(toolbox, journal, signal);
    const { turns } = journal.progress;
    // The host ends the generator once the batch is full.
    for (let place = 0; ; place++) {
      if (place === turns.length) {
        const end = endOf(turns) ?? (await caller.call());
        if (end !== null) return end;
      }
      yield* loop.answer(turns[place] as Turn);
    }
  }

  #key(): string {
    const key = this.#options.apiKey()?.trim();
    if (key !== undefined && key !== '') return key;
    throw new EnvironmentError(
      'the proposer claude needs ANTHROPIC_API_KEY in the environment of the proposer service; ' +
        'without a key use proposer: { kind: recombine }.',
    );
  }
}

/** Runs the tools of each turn; those of earlier processes only as far as the host has to be told again. */
class Loop {
  readonly #toolbox: Toolbox;
  readonly #journal: SessionJournal;
  readonly #signal: AbortSignal;

  constructor(toolbox: Toolbox, journal: SessionJournal, signal: AbortSignal) {
    this.#toolbox = toolbox;
    this.#journal = journal;
    this.#signal = signal;
  }

  async *answer(turn: Turn): AsyncGenerator<Draft, void, Rejection | null> {
    if (turn.stopReason === 'refusal') return;
    for (const [place, use] of toolUses(turn).entries()) {
      const isOnRecord = turn.results[place] !== undefined;
      if (isOnRecord && use.name !== WRITE) continue;
      this.#signal.throwIfAborted();
      const result = isCut(turn, use) ? cutInput(use) : yield* this.#run(use);
      if (!isOnRecord) await this.#journal.ran(use, result);
    }
  }

  async *#run({ name, input }: ToolUse): AsyncGenerator<Draft, ToolResult, Rejection | null> {
    if (name !== WRITE) return this.#toolbox.run(name, input);
    const written = this.#toolbox.draft(input);
    if (!('draft' in written)) return written;
    return this.#toolbox.verdict(written.draft, yield written.draft);
  }
}

function frameOf(request: ProposalRequest, spec: ClaudeSpec, toolbox: Toolbox): Frame {
  const brief = briefOf(request, spec);
  return { spec, system: skill, brief, tools: toolbox.definitions, wanted: request.count };
}

function cutInput({ name }: ToolUse): ToolResult {
  return refused(
    `Your reply reached its limit of tokens inside this call, so ${name} was not run. Send it again in a reply of its ` +
      'own, with less said and thought before it.',
  );
}

/** What the last reply means for the session, when it is not to go on. */
function endOf(turns: readonly Turn[]): SessionEnd | null {
  const last = turns.at(-1);
  if (last === undefined) return null;
  if (last.stopReason === 'refusal') return finished(`the model refused to go on${refusalOf(last)}`);
  if (last.stopReason === 'model_context_window_exceeded') {
    return finished('the conversation fills the context window of the model');
  }
  if (idleTurns(turns) < MOST_IDLE_TURNS) return null;
  const words = textOf(last.blocks);
  return finished(
    words === '' ? 'the model stopped without a word' : `the model stopped: ${words.slice(0, MOST_LAST_WORDS)}`,
  );
}

function refusalOf({ blocks }: Turn): string {
  const details = blocks.find(({ type }) => type === 'refusal');
  const reasons = [details?.['category'], details?.['explanation']].filter((reason) => typeof reason === 'string');
  return reasons.length === 0 ? '' : ` (${reasons.join(': ')})`;
}

function finished(message: string): SessionEnd {
  return { reason: 'finished', message };
}
