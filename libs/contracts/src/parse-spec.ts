import { canonicalHash, InputError } from '@whale/kernel';
import { formatIssues } from './format-issues.ts';
import { Spec } from './spec.ts';

/** Throws InputError that names the file, each path, its value and what was expected. */
export function parseSpec(input: unknown, file: string): Spec {
  const parsed = Spec.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new InputError(`${file} is not a valid experiment spec:\n${indent(formatIssues(parsed.error, input))}`);
}

/** The name + the first 8 hex digits of the sha256 of the canonical JSON (RFC 8785) of the parsed spec. */
export function experimentIdOf(spec: Spec): string {
  return `${spec.name}-${canonicalHash(spec).slice(0, 8)}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
