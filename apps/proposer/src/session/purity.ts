import type { ProposerKind } from '@whale/contracts';

/**
 * Kinds whose drafts are a function of the request and of the rejections, cost nothing and differ by construction. They
 * keep no journal, since after a kill they write the same again, and their candidates are not compared by behaviour.
 */
const PURE: ReadonlySet<ProposerKind> = new Set(['recombine', 'random']);

export function isPure(kind: ProposerKind): boolean {
  return PURE.has(kind);
}
