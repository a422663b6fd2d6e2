/**
 * The conversation protocol that the small model is pretrained in. A model turn is one line: `search: <words>` asks for
 * documents, `answer: <name>` commits. Documents come in one message of role `tool`, one a line, with or without their
 * year (`341: The mayor of Tarvel is Dask.`).
 */
export const SEARCH_PREFIX = 'search:';
export const ANSWER_PREFIX = 'answer:';

/**
 * System prompts that the pretraining corpus contains; the wording selects a habit of the teacher. A harness may write
 * others, but the model has no experience with them.
 */
export const SYSTEM_PROMPTS = {
  /** The ordinary teacher: wordy queries, any version of a fact. */
  plain: 'Search, then answer.',
  /** A more careful teacher: short queries, the newest version, seldom malformed. */
  careful: 'Short queries. Newest answer.',
  /** Always answers, never searches. */
  final: 'Answer now.',
  /** Wraps its answers in a sentence. */
  wordy: 'Explain your answer.',
} as const;

export type Habit = keyof typeof SYSTEM_PROMPTS;

/** One document as a line of a tool message. */
export function documentLine(document: { text: string; year: number }, withYear: boolean): string {
  return withYear ? `${document.year}: ${document.text}` : document.text;
}

/** What a tool message says when there are no documents. */
export const NO_DOCUMENTS = 'Nothing found.';
