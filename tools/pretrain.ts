/**
 * Trains θ₀ from nothing and writes libs/embedded-lm/assets, or the folder given. With --check it writes nothing and
 * says whether the shipped file comes out again.
 *
 *   npx tsx tools/pretrain.ts [--out DIR] [--check] [--set '{"steps": 100}']
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pretrainingCorpus, vocabularyText } from '@whale/domain-search-qa';
import { pretrainTheta0, THETA0_RECIPE, type Theta0Recipe } from '@whale/embedded-lm/training';

const assets = fileURLToPath(new URL('../libs/embedded-lm/assets/', import.meta.url));
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: assets },
    check: { type: 'boolean', default: false },
    set: { type: 'string', default: '{}' },
  },
});
const recipe: Theta0Recipe = { ...THETA0_RECIPE, ...(JSON.parse(values.set) as Partial<Theta0Recipe>) };
const since = performance.now();
const theta0 = await pretrainTheta0({
  source: { pretrainingCorpus, vocabularyText },
  recipe,
  onProgress: ({ step, steps, loss }) => {
    if (step % 50 !== 0) return;
    const seconds = ((performance.now() - since) / 1000).toFixed(0);
    const cpu = (process.cpuUsage().user / 1e6).toFixed(0);
    console.log(`step ${step} of ${steps}, loss ${loss.toFixed(3)}, ${seconds} s, ${cpu} CPU s`);
  },
});
console.log(`θ₀ ${theta0.sha256}, loss ${theta0.loss.toFixed(3)}`);
if (values.check) {
  const shipped = JSON.parse(await readFile(join(assets, 'theta0.json'), 'utf8')) as { sha256: string };
  console.log(shipped.sha256 === theta0.sha256 ? 'the shipped file comes out again' : `shipped is ${shipped.sha256}`);
  process.exitCode = shipped.sha256 === theta0.sha256 ? 0 : 1;
} else {
  await mkdir(values.out, { recursive: true });
  for (const [name, bytes] of Object.entries(theta0.files)) await writeFile(join(values.out, name), bytes);
}
