import { inspect } from 'node:util';
import { Diagnostics, Split, ToolEffect } from '@whale/contracts';
import type { DomainTools } from '@whale/domain-api';
import { z } from 'zod';

/** What user code gives, as schemas whose messages say what it must be. */

const text = z.string('must be a text');
const name = text.min(1, 'must not be empty');
/** A region marker of a harness holds it. */
const marker = text.regex(/^[\w-]+$/u, 'must consist of letters, digits, _ and -');
const method = z.custom((value) => typeof value === 'function', 'must be a function');
const listOf = <Schema extends z.ZodType>(element: Schema) => z.array(element, 'must be a list');
const JsonObject = ToolEffect.shape.args;
const input = z.custom<z.output<typeof JsonObject>>(
  (value) => JsonObject.safeParse(value).success,
  'must be a JSON object',
);

const ComponentVariant = z.object(
  { slot: marker, name: marker, source: text, targets: listOf(text), hypothesis: text },
  'must be an object',
);

/** The domain itself, but for what its functions give. */
export const DomainShape = z.object(
  {
    tasks: method,
    task: method,
    tools: method,
    verify: method,
    gold: method,
    name: text,
    dataset: text,
    seedHarness: text,
    description: text,
    harnessTypes: text,
    components: listOf(ComponentVariant),
    diagnostics: z.record(z.string(), text, 'must be an object'),
  },
  'must be an object',
);

const taskOf = (id: z.ZodType<string>, split: z.ZodType<Split>) => z.object({ id, split, input }, 'must be an object');

export const tasksOf = (split: Split) => listOf(taskOf(name, z.literal(split, `must be '${split}'`)));
export const taskNamed = (id: string) =>
  taskOf(z.literal(id, `must be ${JSON.stringify(id)}`), z.enum(Split.options, 'must be a split'));
export const GoldAnswers = listOf(text);
export const ToolsShape = z.custom<DomainTools>(
  (value) => typeof (value as DomainTools | null | undefined)?.call === 'function',
  'must be an object with a function call',
);

export const Verdict = z.object(
  {
    reward: z.literal([0, 1], 'must be 0 or 1'),
    diagnostics: z.record(
      z.string(),
      z.union(Diagnostics.valueType.options, 'must be true, false, a finite number or a text'),
      'must be an object',
    ),
  },
  'must be an object',
);

/** What is wrong with a value, a sentence each. */
export function misfits(error: z.ZodError, value: unknown): string[] {
  return error.issues.map(({ path, message }) => {
    const found = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
    return `${path.map(String).join('.') || 'it'} ${message}, not ${shown(found)}`;
  });
}

const MOST_SHOWN = 80;

function shown(value: unknown): string {
  const whole = inspect(value, { depth: 1, maxStringLength: MOST_SHOWN, maxArrayLength: 3, breakLength: Infinity });
  return whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN)}…` : whole;
}
