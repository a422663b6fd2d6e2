import type { Domain } from '@whale/domain-api';
import { componentKey, type Component } from '../components.ts';
import type { Specimen } from './composition.ts';

export interface Variant extends Component {
  key: string;
  targets: readonly string[];
  /** '' for a variant that grew in the archive and not in the domain. */
  hypothesis: string;
}

/** All variants by slot, without doubles: those of the domain, then others that stand in archived harnesses. */
export type Pool = ReadonlyMap<string, readonly Variant[]>;

const STRINGS_AND_COMMENTS = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[^]*?\*\//gsu;
const DECLARATION = /^\s*export const PROMPTS\s*=\s*\{[^{}]*\}(?: as const)?;?\s*$/u;

/** With `promptsOnly` the variants that keep a candidate the same program outside PROMPTS. */
export function variantPool(domain: Domain, archived: readonly Specimen[], promptsOnly: boolean): Pool {
  const pool = new Map<string, Variant[]>();
  const add = (variant: Omit<Variant, 'key'>): void => {
    if (promptsOnly && !isOnlyPrompts(variant.text)) return;
    const key = componentKey(variant);
    const variants = pool.get(variant.slot) ?? [];
    if (!variants.some((known) => known.key === key)) pool.set(variant.slot, [...variants, { ...variant, key }]);
  };
  for (const { slot, name, source, targets, hypothesis } of domain.components) {
    add({ slot, variant: name, text: `${source.trim()}\n`, targets, hypothesis });
  }
  for (const { components } of archived) {
    for (const component of components.values()) add({ ...component, targets: [], hypothesis: '' });
  }
  return pool;
}

/** Whether a region declares PROMPTS and nothing else. */
function isOnlyPrompts(text: string): boolean {
  return DECLARATION.test(text.replaceAll(STRINGS_AND_COMMENTS, ''));
}

export function variantOf(pool: Pool, component: Component): Variant | undefined {
  const key = componentKey(component);
  return pool.get(component.slot)?.find((variant) => variant.key === key);
}
