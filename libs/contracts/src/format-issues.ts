import type { z } from 'zod';

/** zod issues as sentences: the path, what was expected, what stands there. One line an issue. */
export function formatIssues(error: z.ZodError, input: unknown): string {
  return error.issues.flatMap((issue) => describe(issue, input)).join('\n');
}

function describe(issue: z.core.$ZodIssue, input: unknown): string[] {
  const path = issue.path.map(String).join('.') || '(top level)';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${issue.path.concat(key).map(String).join('.')}: unknown key`);
  }
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  return [`${path}: ${issue.message} (value: ${shorten(value)})`];
}

function shorten(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = asText(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function asText(value: unknown): string {
  // JSON has no NaN and no infinity: they would be shown as null.
  if (typeof value === 'number') return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Nested so deep that the stack does not reach.
    return Array.isArray(value) ? '[[…' : '{…';
  }
}
