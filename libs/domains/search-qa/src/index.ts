export { pretrainingCorpus, vocabularyText } from './corpus/corpus.ts';
export { type Conversation } from './corpus/teacher.ts';
export { SYSTEM_PROMPTS, type Habit } from './protocol.ts';
