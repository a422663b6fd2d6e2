import { MOST_RESULT_BYTES, type Domain, type DomainTools } from '@whale/domain-api';
import { describeError, WhaleError, type JsonValue } from '@whale/kernel';
import type { z } from 'zod';
import { boundedJson } from './bounded-json.ts';
import type { CheckedParts } from './check-shape.ts';
import type { DomainLimits } from './limits.ts';
import { GoldAnswers, misfits, taskNamed, ToolsShape, Verdict } from './shapes.ts';
import { within } from './within.ts';

/**
 * The domain as all of the platform asks it, runs and checks alike. Its code is trusted, what it gives is not:
 * G1 What its functions give has the shape of the API, or there is a WhaleError DOMAIN_SHAPE that names task and value.
 * G2 A tool or a verdict that takes longer than its limit is DOMAIN_TIMEOUT, retryable; what comes later is dropped. Code
 *    that does not even wait holds the whole process; nothing here can end it.
 * G3 Whatever is thrown becomes a WhaleError that names the task; retryable where the thrown error says so.
 * G4 A harness receives the JSON of what a tool gives, of MOST_RESULT_BYTES at most; of more, an error of the tool.
 */
export function guardedDomain(domain: Domain, { parts, tasks }: CheckedParts, limits: DomainLimits): Domain {
  const place = (taskId: string) => `${parts.name}/${parts.dataset}, task ${taskId}`;
  return {
    ...parts,
    tasks: (split) => tasks[split],
    task: (id) => fitting(taskNamed(id).optional(), `task() of ${place(id)}`, () => domain.task(id)),
    gold: (taskId) => fitting(GoldAnswers, `gold() of ${place(taskId)}`, () => domain.gold(taskId)),
    tools(task): DomainTools {
      const own = fitting(ToolsShape, `tools() of ${place(task.id)}`, () => domain.tools(task));
      return {
        async call(name, args) {
          const who = `the tool ${name} of ${place(task.id)}`;
          return resultOf(who, await inTime(who, limits.toolMs, TOOL_LIMIT, () => own.call(name, args)));
        },
      };
    },
    async verify(input) {
      const who = `verify() of ${place(input.task.id)}`;
      const verdict: unknown = await inTime(who, limits.verifyMs, VERIFY_LIMIT, () => domain.verify(input));
      return fitting(Verdict, who, () => verdict);
    },
  };
}

const TOOL_LIMIT = 'WHALE_TOOL_TIMEOUT_MS';
const VERIFY_LIMIT = 'WHALE_VERIFY_TIMEOUT_MS';

/** What `ask` gives where it fits: the very object, which the domain may know again. */
function fitting<Schema extends z.ZodType>(schema: Schema, who: string, ask: () => unknown): z.output<Schema> {
  let value: unknown;
  try {
    value = ask();
  } catch (cause) {
    throw thrown(who, cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return value as z.output<Schema>;
  throw new WhaleError('DOMAIN_SHAPE', `${who}: ${misfits(parsed.error, value).join('; ')}`);
}

async function inTime<T>(who: string, limitMs: number, variable: string, ask: () => T | Promise<T>) {
  const late = () =>
    new WhaleError('DOMAIN_TIMEOUT', `${who} has given nothing for ${limitMs} ms (${variable})`, { retryable: true });
  try {
    return await within(limitMs, ask, late);
  } catch (cause) {
    throw thrown(who, cause);
  }
}

/** The module may have its own copy of WhaleError, or throw what is no error. */
function thrown(who: string, cause: unknown): WhaleError {
  if (cause instanceof WhaleError) return cause;
  const { retryable } = (cause ?? {}) as { retryable?: unknown };
  const options = { cause, retryable: retryable === true };
  return new WhaleError('DOMAIN_THREW', `${who} threw: ${describeError(cause).message}`, options);
}

function resultOf(who: string, result: unknown): JsonValue {
  let text: string | null | undefined;
  try {
    text = boundedJson(result, MOST_RESULT_BYTES);
  } catch (cause) {
    throw new WhaleError('DOMAIN_SHAPE', `${who}: its result is no JSON: ${describeError(cause).message}`, { cause });
  }
  if (text === undefined) throw new WhaleError('DOMAIN_SHAPE', `${who}: its result is no JSON: ${String(result)}`);
  if (text === null)
    return { error: `the result has more than the ${MOST_RESULT_BYTES} bytes of JSON that are allowed` };
  return JSON.parse(text) as JsonValue;
}
