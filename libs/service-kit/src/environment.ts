import { formatIssues } from '@whale/contracts';
import { InputError } from '@whale/kernel';
import type { z } from 'zod';

/** Reads a service's variables. Throws InputError that names each variable, its value and what was expected. */
export function parseEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): z.output<Schema> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  throw new InputError(`the environment is not valid:\n${formatIssues(parsed.error, environment)}`);
}
