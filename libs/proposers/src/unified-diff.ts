import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/** Unified diff from the parent to the candidate with three lines of context; `''` when the texts are equal. */
export function unifiedDiff(parent: { id: string; source: string }, candidate: { id: string; source: string }): string {
  if (parent.source === candidate.source) return '';
  const name = (id: string) => `harnesses/${id.slice(0, 12)}/harness.ts`;
  return createTwoFilesPatch(name(parent.id), name(candidate.id), parent.source, candidate.source, '', '', {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}
