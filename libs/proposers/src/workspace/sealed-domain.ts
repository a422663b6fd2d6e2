import type { Domain } from '@whale/domain-api';
import type { JsonValue } from '@whale/kernel';

/** What a workspace may know of a domain: no gold answer, no component, and no task but those of D_harness. */
export interface SealedDomain {
  readonly name: string;
  readonly description: string;
  readonly diagnostics: { readonly [name: string]: string };
  readonly harnessTypes: string;
  /** What a harness sees of each task of D_harness, by id. */
  readonly inputs: ReadonlyMap<string, { readonly [key: string]: JsonValue }>;
}

export function sealed(domain: Domain): SealedDomain {
  const { name, description, diagnostics, harnessTypes } = domain;
  const inputs = new Map(domain.tasks('harness').map((task) => [task.id, task.input]));
  return { name, description, diagnostics, harnessTypes, inputs };
}
