import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { EnvironmentError, sha256 } from '@whale/kernel';
import { elapsed } from '../print/text.ts';
import { print, printJson, sessionOf } from '../session.ts';

interface PretrainOptions {
  out?: string;
  steps?: number;
  threads: number;
}

export function pretrainCommand(program: Command): void {
  program
    .command('pretrain')
    .description('makes θ₀ of the embedded model again from scratch, and says whether it equals the shipped one')
    .option('--out <folder>', 'writes theta0.bin, theta0.json and tokenizer.json there; default: only compares')
    .option('--steps <n>', 'gradient steps; any but the default makes another θ₀', positive)
    .option('--threads <n>', 'worker threads; they do not change the result', positive, 2)
    .addHelpText('after', '\nExample:\n  $ whale pretrain --out theta0\n')
    .action(async (options: PretrainOptions, command: Command) => {
      const session = sessionOf(command);
      // A folder that cannot be made must be known before the minutes of training.
      const folder = options.out === undefined ? undefined : madeFolder(resolve(options.out));
      const { pretrainTheta0, THETA0_RECIPE } = await import('@whale/embedded-lm/training');
      const { loadTheta0 } = await import('@whale/embedded-lm');
      const source = await import('@whale/domain-search-qa');
      const recipe = { ...THETA0_RECIPE, steps: options.steps ?? THETA0_RECIPE.steps };
      const started = Date.now();
      let told = started - 10_000;
      const theta0 = await pretrainTheta0({
        source,
        recipe,
        threads: options.threads,
        onProgress: ({ step, steps, loss }) => {
          if (Date.now() - told < 5_000 && step < steps) return;
          told = Date.now();
          const time = elapsed((told - started) / 1000).padStart(6);
          process.stderr.write(`${time}  step ${step} of ${steps}, loss ${loss.toFixed(3)}\n`);
        },
      });
      if (folder) for (const [name, bytes] of Object.entries(theta0.files)) writeFileSync(join(folder, name), bytes);
      const shipped = await loadTheta0().then(sha256, () => null);
      const equal = shipped === theta0.sha256;
      if (session.json)
        return printJson({ sha256: theta0.sha256, shipped, equal, loss: theta0.loss, out: folder ?? null });
      print(`sha256  ${theta0.sha256}`);
      print(equal ? 'equal to the shipped θ₀' : `not the shipped θ₀, which is ${shipped ?? 'not there'}`);
      if (folder) print(`written to ${folder}`);
    });
}

function madeFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch (cause) {
    throw new EnvironmentError(`--out: the folder ${folder} cannot be made: ${(cause as Error).message}`, { cause });
  }
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('expected a whole number above 0');
  return value;
}
