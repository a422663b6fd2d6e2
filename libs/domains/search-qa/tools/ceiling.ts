/**
 * What harnesses can reach, whatever the weights: a scripted model that never errs, and one as careless as the teacher
 * of the corpus, run natively through h₀, through every single exchange of a variant, and through combinations.
 *
 *   npx tsx libs/domains/search-qa/tools/ceiling.ts [tasks a row]
 */
import searchQa from '../src/index.ts';
import { combine, measure, type Measured } from './measure.ts';

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

const show = ({ reward, retrieval, truncation }: Measured) =>
  [reward, retrieval, truncation].map((share) => share.toFixed(2)).join('  ');

const count = Number(process.argv[2] ?? 300);
const domain = await searchQa.load({ dataset: 'atlas', options: {} });
const singles = domain.components.map(({ slot, name }) => `${slot}:${name}`);
console.log('reward, retrieval, truncation:  perfect reader | careless reader | harness');
for (const names of ['', ...singles, ...COMBINATIONS]) {
  const source = combine(domain, names);
  const perfect = show(await measure(domain, source, 'perfect', count));
  const careless = show(await measure(domain, source, 'careless', count));
  console.log(`${perfect} | ${careless} | ${names || 'h0'}`);
}
