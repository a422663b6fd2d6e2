import { readFileSync } from 'node:fs';

let text: string | undefined;

/**
 * The declarations that a harness is checked against: harness.d.ts, then those of the domain. They are kept as `.txt`,
 * since as `.d.ts` they would be global to the whole repository.
 */
export function harnessTypes(domainTypes = ''): string {
  text ??= readFileSync(new URL('../assets/harness.d.ts.txt', import.meta.url), 'utf8');
  return domainTypes === '' ? text : `${text}\n${domainTypes}`;
}
