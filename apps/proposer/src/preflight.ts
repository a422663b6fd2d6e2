import { resolve } from 'node:path';
import type { ProposerSpec } from '@whale/contracts';
import { EnvironmentError } from '@whale/kernel';
import { findProgram, loadProposer } from '@whale/proposers';
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
  try {
    findProgram(program, process.cwd(), environment['PATH'] ?? '');
  } catch (cause) {
    const what = program.includes('/')
      ? `${resolve(program)} is no program that can be started`
      : `there is no program ${program} on the PATH`;
    throw new EnvironmentError(`proposer.command: ${what}`, { cause });
  }
}
