import { formatIssues } from '@whale/contracts';
import { z } from 'zod';
import { parentIds, resolveParent } from '../claude/parents.ts';
import { Told } from '../draft-schema.ts';
import { readHeader } from '../header.ts';
import type { Draft, ProposalRequest } from '../proposer.ts';
import type { CandidateFile } from './candidate-files.ts';

const Notes = z.object({ parent: z.string().trim().default(''), ...Told.shape });

/** The draft that a file holds, with what its JSON file or else its header says of it; or what is wrong, for its author. */
export function draftOf(file: CandidateFile, request: ProposalRequest): Draft | { problem: string } {
  const { name, source, notes } = file;
  let told: unknown;
  try {
    told = notes === null ? readHeader(source) : JSON.parse(notes);
  } catch (error) {
    return { problem: `candidates/${name}.json is not JSON: ${(error as Error).message}` };
  }
  const parsed = Notes.safeParse(told);
  if (!parsed.success) {
    const where =
      notes === null ? `there is no candidates/${name}.json, and the head of ${name}.ts` : `candidates/${name}.json`;
    return { problem: `${where} does not say what it must:\n${formatIssues(parsed.error, told)}\n${EXPECTED}` };
  }
  const { parent, hypothesis, changes } = parsed.data;
  if (parent === '') return { source, parent: request.incumbent.id, hypothesis, changes };
  const found = resolveParent(parent, parentIds(request));
  return 'problem' in found ? found : { source, parent: found.id, hypothesis, changes };
}

const EXPECTED =
  'Expected { "hypothesis": "…", "changes": ["…"], "parent": "id of the harness, the incumbent unless given" }, or the ' +
  'same as comment lines at the head of the .ts: // hypothesis: …, // change: …, // parent: …';
