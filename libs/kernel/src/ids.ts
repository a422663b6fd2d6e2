import { canonicalHash } from './canonical-json.ts';

/**
 * Deterministic id: the same kind and parts give the same id on every machine, so that redelivery and replay
 * are harmless. Shape: `<kind>-<24 hex digits>`.
 */
export function deterministicId(kind: string, ...parts: readonly (string | number)[]): string {
  return `${kind}-${canonicalHash([kind, ...parts]).slice(0, 24)}`;
}
