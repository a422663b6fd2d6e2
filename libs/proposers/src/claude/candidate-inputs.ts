import { z } from 'zod';

/** Characters; the check of candidates has its own limit in bytes. */
export const MOST_SOURCE = 256 << 10;
export const MOST_TRIED_TASKS = 5;

const source = z
  .string()
  .min(1)
  .max(MOST_SOURCE)
  .describe('The complete TypeScript text of the harness: never a part, a diff or a file name');
const parent = z
  .string()
  .regex(/^[0-9a-f]{8,64}$/u, 'must be the id of a harness, or its first 8 or more hex digits')
  .describe('The harness that it was made from: its id, or a beginning of at least 8 digits');

export const WriteInput = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/u, 'must be lower-case letters, digits and dashes, at most 40')
    .describe('A short name for people, e.g. "quote-before-answer"'),
  source,
  parent,
  hypothesis: z
    .string()
    .trim()
    .min(20)
    .max(2_000)
    .describe(
      'What you expect and why, such that scores and outcomes can refute it: which failures become fewer, by how many, ' +
        'and what must not become worse',
    ),
  changes: z
    .array(z.string().trim().min(1).max(300))
    .min(1)
    .max(20)
    .describe('One line for each thing that differs from the parent'),
});
export type WriteInput = z.infer<typeof WriteInput>;

export const CheckInput = z.strictObject({ source, parent });
export type CheckInput = z.infer<typeof CheckInput>;

export const TryInput = z.strictObject({
  source,
  parent,
  task_ids: z
    .array(z.string().min(1))
    .min(1)
    .max(MOST_TRIED_TASKS)
    .describe(`Ids of tasks as outcomes.jsonl has them, at most ${MOST_TRIED_TASKS}`),
});
export type TryInput = z.infer<typeof TryInput>;
