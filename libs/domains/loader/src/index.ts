import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Spec } from '@whale/contracts';
import type { Domain, DomainModule } from '@whale/domain-api';
import { canonicalHash, InputError, type JsonValue } from '@whale/kernel';

type DomainSpec = Spec['domain'];

const BUILT_IN: Readonly<Record<string, () => Promise<{ default: DomainModule }>>> = {
  'search-qa': () => import('@whale/domain-search-qa'),
};

const loaded = new Map<string, Promise<Domain>>();

/**
 * The domain that a spec names: a built-in, or a module path that exports a DomainModule as default. Loaded once for
 * each spec. Throws InputError that says which names there are, or what is wrong with the module.
 */
export function loadDomain(spec: DomainSpec): Promise<Domain> {
  const key = canonicalHash(spec);
  let domain = loaded.get(key);
  if (!domain) {
    domain = load(spec);
    loaded.set(key, domain);
    domain.catch(() => loaded.delete(key));
  }
  return domain;
}

async function load(spec: DomainSpec): Promise<Domain> {
  const module = await domainModule(spec.name);
  return module.load({ dataset: spec.dataset, options: spec.options as Record<string, JsonValue> });
}

async function domainModule(name: string): Promise<DomainModule> {
  const builtIn = BUILT_IN[name];
  if (builtIn) return (await builtIn()).default;
  if (!name.startsWith('.') && !isAbsolute(name)) {
    const names = Object.keys(BUILT_IN).join(', ');
    throw new InputError(
      `domain.name: no domain is called "${name}"; built in: ${names}. A module path begins with ./`,
    );
  }
  let exported: unknown;
  try {
    exported = ((await import(pathToFileURL(resolve(name)).href)) as { default?: unknown }).default;
  } catch (cause) {
    throw new InputError(`domain.name: the module ${name} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
  if (typeof (exported as DomainModule | undefined)?.load !== 'function') {
    throw new InputError(
      `domain.name: the module ${name} must export a DomainModule as default (with a load function)`,
    );
  }
  return exported as DomainModule;
}
