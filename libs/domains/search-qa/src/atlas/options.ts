import { formatIssues } from '@whale/contracts';
import { InputError, type JsonValue } from '@whale/kernel';
import { z } from 'zod';

/** The syllables make names for about this many questions in all four splits together. */
export const MOST_TASKS = 1600;

const count = (most: number) => z.int().min(1).max(most);

/** Options of the data set `atlas`, as a spec gives them. */
export const AtlasOptions = z
  .strictObject({
    /** Names the world; another seed is another world with other tasks. */
    seed: z.string().min(1).max(64).default('atlas'),
    /** Tasks a split. */
    weight: count(MOST_TASKS).default(200),
    harness: count(MOST_TASKS).default(40),
    validation: count(MOST_TASKS).default(60),
    test: count(MOST_TASKS).default(100),
    /** Share of two-hop questions in each split, in [0, 1]. */
    twoHop: z.number().min(0).max(1).default(0.4),
  })
  .refine((options) => options.weight + options.harness + options.validation + options.test <= MOST_TASKS, {
    message: `weight + harness + validation + test must be at most ${MOST_TASKS}`,
  });
export type AtlasOptions = z.infer<typeof AtlasOptions>;

/** Throws InputError that names each bad key and what was expected. */
export function parseAtlasOptions(options: { readonly [key: string]: JsonValue }): AtlasOptions {
  const parsed = AtlasOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const known = 'seed, weight, harness, validation, test, twoHop';
  const problems = formatIssues(parsed.error, options).replace(/^/gm, 'domain.options.');
  throw new InputError(`${problems}\nsearch-qa/atlas knows the options ${known}`);
}
