import type { Draft, JournalEntry, ProposalRequest, ProposalSession, Proposer } from '@whale/proposers';

/** One call of the model and the candidates that it writes. */
export interface ScriptedTurn {
  drafts: readonly Partial<Draft>[];
}

const USAGE = { input: 100, output: 10, cacheWrite: 1, cacheRead: 2 };
const MOST = { input: 200, output: 100, cacheWrite: 0, cacheRead: 0 };

/**
 * A proposer that spends money and keeps a journal as the port asks for: before a call, after it, and for each tool. After
 * a kill it goes on where the journal ends, and yields its drafts again.
 */
export class ScriptedCaller implements Proposer {
  /** Calls that were paid for, by all processes. */
  calls = 0;
  readonly #turns: readonly ScriptedTurn[];

  constructor(turns: readonly ScriptedTurn[]) {
    this.#turns = turns;
  }

  async *propose(request: ProposalRequest, session: ProposalSession): ReturnType<Proposer['propose']> {
    const journal = [...session.journal];
    for (const [place, { drafts }] of this.#turns.entries()) {
      const turn = place + 1;
      await this.#call(turn, session, journal);
      for (const [i, draft] of drafts.entries()) {
        const rejection = yield { ...blank(request), ...draft };
        const input = `draft ${turn}.${i}`;
        if (has(journal, (step) => step.kind === 'tool' && step.input === input)) continue;
        const step = { kind: 'tool', turn, tool: 'write', input, paths: [], bytes: 7, error: rejection?.stage ?? null };
        await session.record({
          kind: 'step',
          step: { ...step, kind: 'tool' },
          content: { rejection: rejection?.stage ?? null },
        });
      }
    }
    return { reason: 'turns', message: `${this.#turns.length} turns` };
  }

  async #call(turn: number, session: ProposalSession, journal: readonly JournalEntry[]): Promise<void> {
    if (has(journal, (step) => step.kind === 'call' && step.turn === turn)) return;
    const open = journal.at(-1);
    if (open?.kind === 'call-begun') {
      const { model, usage, usd } = open;
      const step = { kind: 'call-lost', turn, model, reason: 'killed', usage, usd } as const;
      await session.record({ kind: 'step', step, content: null });
    }
    await session.record({ kind: 'call-begun', turn, model: 'scripted', usage: MOST, usd: 0.5 });
    this.calls++;
    const step = { kind: 'call', turn, model: 'scripted', stopReason: 'tool_use', usage: USAGE, usd: 0.25 } as const;
    await session.record({ kind: 'step', step, content: [{ type: 'text', text: `turn ${turn}` }] });
  }
}

function has(
  journal: readonly JournalEntry[],
  matches: (step: Extract<JournalEntry, { kind: 'step' }>['step']) => boolean,
): boolean {
  return journal.some((entry) => entry.kind === 'step' && matches(entry.step));
}

function blank({ incumbent }: ProposalRequest): Draft {
  return { source: '', parent: incumbent.id, hypothesis: 'It helps.', changes: ['all of it'] };
}
