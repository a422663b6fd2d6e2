import { z } from 'zod';

const text = z.string().trim().min(1);

/** What a candidate's author says of it, in the words of who wrote it. */
export const Told = z.object({
  /** A sentence that the measured score can refute. */
  hypothesis: text.max(4_000),
  changes: z.array(text.max(400)).min(1).max(32),
});

/** A draft from code that is not ours. */
export const ForeignDraft = z.object({ source: z.string(), parent: text, ...Told.shape });
