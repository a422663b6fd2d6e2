import type { AssistantTurn, Brain, Conversation, ToolCall } from '../brain.ts';

/** What a tool gave back for one call. */
export interface ToolAnswer {
  text: string;
  isError: boolean;
}

/** What is thought and said before some calls are made at once. */
export interface Step {
  thinking?: string;
  text?: string;
  calls: readonly ToolCall[];
}

/** A way through a conversation: steps go out, the answers to their calls come back, the last words are returned. */
export type Plan = Generator<Step, string, readonly ToolAnswer[]>;

/**
 * A brain that keeps nothing between requests. Invariants, each named by a test:
 * B1 It follows its plan from the start in each request, with the answers that the conversation has for its calls, and
 *    says the first step that has none: the same conversation gives the same turn, wherever a client was killed.
 * B2 An answer belongs to a call by name and input: one that was cut off and never made is made again, alone.
 */
export function replaying(plan: (conversation: Conversation) => Plan): Brain {
  return (conversation) => {
    const answers = answersOf(conversation);
    const run = plan(conversation);
    let next = run.next();
    while (next.done !== true) {
      const known = next.value.calls.map((call) => answers.get(keyOf(call)));
      if (known.includes(undefined)) return turnOf(next.value, answers);
      next = run.next(known.filter((answer) => answer !== undefined));
    }
    return { text: next.value };
  };
}

function turnOf(step: Step, answers: ReadonlyMap<string, ToolAnswer>): AssistantTurn {
  const calls = step.calls.filter((call) => !answers.has(keyOf(call)));
  return calls.length === step.calls.length ? step : { calls };
}

function answersOf({ messages }: Conversation): Map<string, ToolAnswer> {
  const asked = new Map<string, string>();
  const answers = new Map<string, ToolAnswer>();
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type === 'tool_use') asked.set(block.id, keyOf(block));
    if (block.type !== 'tool_result') continue;
    const { content = '', is_error: isError = false } = block;
    // The tool's own words stand in the first text; what the client adds of budgets comes after.
    const text = typeof content === 'string' ? content : (content[0]?.text ?? '');
    answers.set(asked.get(block.tool_use_id) ?? '', { text, isError });
  }
  return answers;
}

function keyOf({ name, input }: ToolCall): string {
  return `${name} ${JSON.stringify(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
