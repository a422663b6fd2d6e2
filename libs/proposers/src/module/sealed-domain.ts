import type { Domain } from '@whale/domain-api';
import { WhaleError } from '@whale/kernel';

/** The domain as a search may know it: tasks of D_harness alone, no gold answer, and no verdict on guesses. */
export function sealedDomain(domain: Domain): Domain {
  const { name, dataset, seedHarness, components, diagnostics, description, harnessTypes } = domain;
  const own = new Set(domain.tasks('harness').map(({ id }) => id));
  const sealed = (what: string) => (): never => {
    throw new WhaleError('PROPOSER_SEALED', `${what} of the domain is sealed: a proposer is not to know the answers`);
  };
  return {
    ...{ name, dataset, seedHarness, components, diagnostics, description, harnessTypes },
    tasks: (split) => (split === 'harness' ? domain.tasks('harness') : []),
    task: (id) => (own.has(id) ? domain.task(id) : undefined),
    tools: (task) => domain.tools(task),
    verify: sealed('verify'),
    gold: sealed('gold'),
  };
}
