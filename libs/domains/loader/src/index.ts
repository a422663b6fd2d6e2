import { isAbsolute, resolve } from 'node:path';
import type { Spec } from '@whale/contracts';
import type { Domain, DomainModule } from '@whale/domain-api';
import { canonicalHash, importDefault, InputError, type JsonValue } from '@whale/kernel';

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
  let domain: Domain;
  try {
    domain = await module.load({ dataset: spec.dataset, options: spec.options as Record<string, JsonValue> });
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`domain.name: ${spec.name} cannot load: ${(cause as Error).message}`, { cause });
  }
  checkShape(domain, spec.name);
  return domain;
}

const FUNCTIONS = ['tasks', 'task', 'tools', 'verify', 'gold'] as const;
const TEXTS = ['name', 'dataset', 'seedHarness', 'description', 'harnessTypes'] as const;
/** Splits that every strategy needs; `validation` may be empty. */
const NEEDED_SPLITS = ['weight', 'harness', 'test'] as const;

/** Said before an experiment begins, not by a failure in the middle of it. */
function checkShape(domain: Domain, name: string): void {
  const faults = [
    ...FUNCTIONS.filter((key) => typeof domain?.[key] !== 'function').map((key) => `${key} must be a function`),
    ...TEXTS.filter((key) => typeof domain?.[key] !== 'string').map((key) => `${key} must be a string`),
    ...(Array.isArray(domain?.components) ? [] : ['components must be a list']),
    ...(typeof domain?.diagnostics === 'object' ? [] : ['diagnostics must be an object']),
  ];
  if (faults.length === 0) {
    for (const split of NEEDED_SPLITS) {
      if (domain.tasks(split).length === 0) faults.push(`tasks('${split}') must not be empty`);
    }
  }
  if (faults.length > 0) throw new InputError(`domain.name: what ${name} loads is not a Domain: ${faults.join('; ')}`);
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
    exported = await importDefault(resolve(name));
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
