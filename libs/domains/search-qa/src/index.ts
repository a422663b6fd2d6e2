import type { DomainModule } from '@whale/domain-api';
import { InputError } from '@whale/kernel';
import { atlasDomain } from './atlas/domain.ts';
import { parseAtlasOptions } from './atlas/options.ts';

export { pretrainingCorpus, vocabularyText, type CorpusOptions } from './corpus/corpus.ts';
export { type HabitChanges, type Habits } from './corpus/habits.ts';
export { type Conversation } from './corpus/teacher.ts';
export { SYSTEM_PROMPTS, type Habit } from './protocol.ts';
export { AtlasOptions } from './atlas/options.ts';

/** Question answering with a search tool. Data sets: `atlas`. */
const searchQa: DomainModule = {
  name: 'search-qa',
  async load({ dataset, options }) {
    if (dataset === 'atlas') return atlasDomain(parseAtlasOptions(options));
    throw new InputError(`domain.dataset: search-qa has no data set ${JSON.stringify(dataset)}; known: atlas`);
  },
};

export default searchQa;
