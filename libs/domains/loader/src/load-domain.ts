import { isAbsolute, resolve } from 'node:path';
import type { Spec } from '@whale/contracts';
import type { Domain, DomainModule } from '@whale/domain-api';
import { canonicalHash, describeError, importDefault, InputError, type JsonValue } from '@whale/kernel';
import { checkShape } from './check-shape.ts';
import { guardedDomain } from './guarded-domain.ts';
import { domainLimits, type DomainLimits } from './limits.ts';
import { within } from './within.ts';

type DomainSpec = Spec['domain'];

const BUILT_IN: Readonly<Record<string, () => Promise<{ default: DomainModule }>>> = {
  'search-qa': () => import('@whale/domain-search-qa'),
};

const loaded = new Map<string, Promise<Domain>>();

/**
 * The domain that a spec names, guarded: a built-in, or a module path that exports a DomainModule as default. Loaded once
 * for each spec. Throws InputError that says which names there are, or what is wrong with the module.
 */
export function loadDomain(spec: DomainSpec, limits: DomainLimits = domainLimits(process.env)): Promise<Domain> {
  const key = canonicalHash([spec, limits]);
  let domain = loaded.get(key);
  if (!domain) {
    domain = within(
      limits.loadMs,
      () => load(spec, limits),
      () => tooLate(spec.name, limits),
    );
    loaded.set(key, domain);
    domain.catch(() => loaded.delete(key));
  }
  return domain;
}

function tooLate(name: string, { loadMs }: DomainLimits): InputError {
  return new InputError(`domain.name: ${name} has not loaded within ${loadMs} ms (WHALE_DOMAIN_LOAD_TIMEOUT_MS)`);
}

async function load(spec: DomainSpec, limits: DomainLimits): Promise<Domain> {
  const module = await domainModule(spec.name);
  let domain: Domain;
  try {
    domain = await module.load({ dataset: spec.dataset, options: spec.options as Record<string, JsonValue> });
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`domain.name: ${spec.name} cannot load: ${describeError(cause).message}`, { cause });
  }
  return guardedDomain(domain, checkShape(domain, spec.name), limits);
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
    throw new InputError(`domain.name: the module ${name} cannot be loaded: ${describeError(cause).message}`, {
      cause,
    });
  }
  if (typeof (exported as DomainModule | undefined)?.load !== 'function') {
    throw new InputError(
      `domain.name: the module ${name} must export a DomainModule as default (with a load function)`,
    );
  }
  return exported as DomainModule;
}
