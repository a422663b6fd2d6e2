import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { ProposerSpec } from '@whale/contracts';
import { EnvironmentError } from '@whale/kernel';
import { loadProposer } from '@whale/proposers';
import { proposerConfig } from './config.ts';

/**
 * Whether a proposer can work in this environment, before anything is spent. Throws EnvironmentError that says what is
 * missing and how to get it, and InputError for a module that is no proposer.
 */
export async function checkProposer(spec: ProposerSpec, environment: NodeJS.ProcessEnv): Promise<void> {
  switch (spec.kind) {
    case 'recombine':
    case 'random':
      return;
    case 'claude':
      if (proposerConfig(environment).anthropicKey() !== undefined) return;
      throw new EnvironmentError(
        'proposer claude: there is no ANTHROPIC_API_KEY in the environment. Set it (keys: https://console.anthropic.com), ' +
          'or search without a model: --set proposer.kind=recombine',
      );
    case 'module':
      await loadProposer(spec);
      return;
    case 'command':
      checkProgram(spec.command[0] ?? '', environment);
      return;
    default:
      return spec satisfies never;
  }
}

function checkProgram(program: string, environment: NodeJS.ProcessEnv): void {
  if (program.includes('/')) {
    if (isExecutable(resolve(program))) return;
    throw new EnvironmentError(`proposer.command: ${resolve(program)} is no program that can be started`);
  }
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => isExecutable(join(folder, program)))) return;
  throw new EnvironmentError(`proposer.command: there is no program ${program} on the PATH`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
