// variant careful
// targets: retrieval, extraction, format
// hypothesis: Asking for short queries and the newest answer raises retrieval and extraction over the plain prompt.
export const PROMPTS = {
  system: 'Short queries. Newest answer.',
  finish: 'Answer now.',
};

// variant commit
// targets: truncation, format
// hypothesis: A closing prompt that asks for the answer now turns searches without an end into answers, where the loop makes a last call.
export const PROMPTS = {
  system: 'Search, then answer.',
  finish: 'Answer now.',
};

// variant wordy
// targets: extraction
// hypothesis: A model that explains its answer reads the documents better.
export const PROMPTS = {
  system: 'Explain your answer.',
  finish: 'Explain your answer.',
};

// variant rules
// targets: format, extraction
// hypothesis: Spelling out the rules of the game makes fewer malformed turns than a three-word prompt.
export const PROMPTS = {
  system:
    'You answer questions about towns and people. First search with a name and one word. Read the documents, prefer the newest year, then write answer: and one name.',
  finish: 'Write answer: and one name.',
};
