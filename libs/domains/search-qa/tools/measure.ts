import { withVariant, type Domain } from '@whale/domain-api';
import { rng } from '@whale/kernel';
import { compileHarness, rollOut } from './native.ts';
import { reader } from './reader.ts';

/** Shares in [0, 1] over the tasks measured. */
export interface Measured {
  reward: number;
  retrieval: number;
  truncation: number;
}

/** One rollout of a scripted reader on each of the first `count` tasks of test and weight. */
export async function measure(
  domain: Domain,
  source: string,
  kind: 'perfect' | 'careless',
  count: number,
): Promise<Measured> {
  const harness = compileHarness(source);
  const tasks = domain.tasks('test').concat(domain.tasks('weight')).slice(0, count);
  const sums = { reward: 0, retrieval: 0, truncation: 0 };
  for (const task of tasks) {
    const verdict = await rollOut(domain, harness, task, reader(kind, rng(`ceiling/${kind}/${task.id}`)));
    sums.reward += verdict.reward;
    sums.retrieval += verdict.diagnostics['retrieval'] === true ? 1 : 0;
    sums.truncation += verdict.diagnostics['truncation'] === true ? 1 : 0;
  }
  const n = Math.max(1, tasks.length);
  return { reward: sums.reward / n, retrieval: sums.retrieval / n, truncation: sums.truncation / n };
}

/** h₀ with the named variants in place: `slot:name slot:name …`; h₀ itself for an empty text. */
export function combine(domain: Domain, names: string): string {
  return names
    .split(' ')
    .filter(Boolean)
    .reduce((source, wanted) => {
      const variant = domain.components.find(({ slot, name }) => `${slot}:${name}` === wanted);
      if (variant === undefined) throw new Error(`no variant ${wanted}`);
      return withVariant(source, variant);
    }, domain.seedHarness);
}
