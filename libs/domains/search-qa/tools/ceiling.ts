/**
 * What harnesses can reach, whatever the weights: a scripted model that never errs, and one as careless as the teacher
 * of the corpus, run natively through h₀, through every single exchange of a variant, and through combinations.
 *
 *   npx tsx libs/domains/search-qa/tools/ceiling.ts [tasks a row]
 */
import { withVariant, type Domain } from '@whale/domain-api';
import { rng } from '@whale/kernel';
import searchQa from '../src/index.ts';
import { compileHarness, rollOut } from './native.ts';
import { reader } from './reader.ts';

const COMBINATIONS: readonly string[] = [
  'search:eight ranking:own-page-no-stale',
  'search:eight packaging:dated-three',
  'search:twenty ranking:own-page-no-stale packaging:dated-three',
  'ranking:own-page-no-stale packaging:undated',
  'search:eight loop:by-hops',
  'loop:by-hops memory:latest',
  'loop:by-hops memory:latest prompts:careful',
  'search:eight memory:latest loop:by-hops',
  'query:terse search:eight ranking:own-page-no-stale packaging:dated-three finish:first-name',
  'query:terse search:eight packaging:dated-three memory:latest loop:by-hops prompts:careful finish:first-name',
  'query:terse search:eight ranking:own-page-no-stale packaging:dated-three memory:latest-tidy loop:forced prompts:careful finish:first-name',
  'query:terse search:retry ranking:own-page-no-stale packaging:dated-three memory:latest-tidy loop:by-hops prompts:careful finish:first-name',
];

async function measure(domain: Domain, source: string, kind: 'perfect' | 'careless', count: number) {
  const harness = compileHarness(source);
  const tasks = domain.tasks('test').concat(domain.tasks('weight')).slice(0, count);
  const sums = { reward: 0, retrieval: 0, truncation: 0 };
  for (const task of tasks) {
    const verdict = await rollOut(domain, harness, task, reader(kind, rng(`ceiling/${kind}/${task.id}`)));
    sums.reward += verdict.reward;
    sums.retrieval += verdict.diagnostics['retrieval'] === true ? 1 : 0;
    sums.truncation += verdict.diagnostics['truncation'] === true ? 1 : 0;
  }
  return [sums.reward, sums.retrieval, sums.truncation].map((sum) => (sum / tasks.length).toFixed(2)).join('  ');
}

function combine(domain: Domain, names: string): string {
  return names.split(' ').reduce((source, wanted) => {
    const variant = domain.components.find(({ slot, name }) => `${slot}:${name}` === wanted);
    if (variant === undefined) throw new Error(`no variant ${wanted}`);
    return withVariant(source, variant);
  }, domain.seedHarness);
}

const count = Number(process.argv[2] ?? 300);
const domain = await searchQa.load({ dataset: 'atlas', options: {} });
const singles = domain.components.map(({ slot, name }) => `${slot}:${name}`);
console.log('reward, retrieval, truncation:  perfect reader | careless reader | harness');
for (const [label, source] of [
  ['h0', domain.seedHarness] as const,
  ...singles.concat(COMBINATIONS).map((names) => [names, combine(domain, names)] as const),
]) {
  const perfect = await measure(domain, source, 'perfect', count);
  const careless = await measure(domain, source, 'careless', count);
  console.log(`${perfect} | ${careless} | ${label}`);
}
