import { readFileSync } from 'node:fs';
import type { Domain } from '@whale/domain-api';
import { InputError, turn } from '@whale/kernel';
import { SearchEngine, searchTools } from '../search/tool.ts';
import { DIAGNOSTICS, verifyAgainst, type AnswerKey } from '../verifier/verify.ts';
import { components, seedHarness } from './components.ts';
import { harnessTypes } from './harness-types.ts';
import type { AtlasOptions } from './options.ts';
import { atlasTasks } from './tasks.ts';

const description = readFileSync(new URL('./description.md', import.meta.url), 'utf8');

/** The domain `search-qa` over an invented atlas. Building it takes about a tenth of a second, in several turns. */
export async function atlasDomain(options: AtlasOptions): Promise<Domain> {
  const { world, bySplit, byId, keys } = await atlasTasks(options);
  await turn();
  const engine = new SearchEngine(world.documents);
  const keyOf = (taskId: string): AnswerKey => {
    const key = keys.get(taskId);
    if (key === undefined) throw new InputError(`search-qa/atlas: no task ${taskId}`);
    return key;
  };
  return {
    name: 'search-qa',
    dataset: 'atlas',
    tasks: (split) => bySplit.get(split) ?? [],
    task: (id) => byId.get(id),
    tools: () => searchTools(engine),
    verify: (input) => verifyAgainst(keyOf(input.task.id), input),
    gold: (taskId) => keyOf(taskId).gold,
    seedHarness,
    components,
    diagnostics: DIAGNOSTICS,
    description,
    harnessTypes,
  };
}
