import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatIssues, type ProposerSpec } from '@whale/contracts';
import { canonicalHash, importDefault, InputError } from '@whale/kernel';
import type { z } from 'zod';
import type { Proposer } from '../proposer.ts';
import type { ProposerModule } from './proposer-module.ts';

type ModuleSpec = Pick<Extract<ProposerSpec, { kind: 'module' }>, 'path' | 'options'>;

const loaded = new Map<string, Promise<Proposer>>();

/**
 * The proposer that a user's module makes. A relative path is taken from the working directory of the process, as that of
 * a domain is. Loaded once for each path and options. Rejects with InputError that says what is wrong with the module.
 */
export function loadProposer({ path, options }: ModuleSpec): Promise<Proposer> {
  const key = canonicalHash([resolve(path), options]);
  let proposer = loaded.get(key);
  if (proposer === undefined) {
    proposer = load({ path, options });
    loaded.set(key, proposer);
    proposer.catch(() => loaded.delete(key));
  }
  return proposer;
}

async function load({ path, options }: ModuleSpec): Promise<Proposer> {
  const module = await proposerModule(path);
  let proposer: unknown;
  try {
    proposer = await module.create(structuredClone(options) as Parameters<ProposerModule['create']>[0]);
  } catch (cause) {
    throw new InputError(`proposer.options: the module ${path} does not take them: ${said(cause, options)}`, { cause });
  }
  if (!has(proposer, 'propose')) {
    const expected = 'a Proposer, an object with an async generator propose(request, session)';
    throw new InputError(`proposer.path: create of the module ${path} gives no proposer: expected ${expected}`);
  }
  return proposer as unknown as Proposer;
}

async function proposerModule(path: string): Promise<ProposerModule> {
  const file = resolve(path);
  if (!existsSync(file)) {
    const hint = file === path ? '' : '; a relative path is taken from the folder in which the process was started';
    throw new InputError(`proposer.path: there is no module ${file}${hint}`);
  }
  let exported: unknown;
  try {
    exported = await importDefault(file);
  } catch (cause) {
    throw new InputError(`proposer.path: the module ${path} cannot be loaded: ${said(cause)}`, { cause });
  }
  if (exported === undefined) {
    throw new InputError(
      `proposer.path: the module ${path} has no default export: expected a ProposerModule, ${SHAPE}`,
    );
  }
  if (!has(exported, 'create')) {
    throw new InputError(`proposer.path: the default export of the module ${path} is no ProposerModule, ${SHAPE}`);
  }
  return exported as unknown as ProposerModule;
}

const SHAPE = '{ name, create(options) }';

function has(value: unknown, method: string): value is Record<string, unknown> {
  return typeof (value as Record<string, unknown> | null | undefined)?.[method] === 'function';
}

/** The module may have a zod of its own, so its errors are known by their shape. */
function said(cause: unknown, options: unknown = undefined): string {
  if (cause instanceof Error && Array.isArray((cause as z.ZodError).issues)) {
    return formatIssues(cause as z.ZodError, options);
  }
  return cause instanceof Error ? cause.message : String(cause);
}
