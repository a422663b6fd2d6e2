import { withPrompt, withRegions, promptIn, regionsIn, type Region } from './source.ts';

/** One mechanism that a harness may have. */
export interface Idea {
  /** Told in the `changes` of a candidate, by which it is known again in the history. */
  name: string;
  /** The diagnostics that it is to improve. */
  targets: readonly string[];
  /** Ideas that it builds upon; it may take the place of their regions. */
  needs: readonly string[];
  /** What it does, and why that should help, as parts of a sentence. */
  mechanism: string;
  because: string;
  evidence?: Evidence;
  edit: Edit;
}

/** Lines that speak for an idea, and what they say. */
export interface Evidence {
  in: 'trajectories' | 'outcomes';
  pattern: string;
  says: string;
}

export type Edit =
  | { kind: 'regions'; regions: readonly Region[] }
  /** Texts of PROMPTS by key. */
  | { kind: 'prompts'; prompts: Readonly<Record<string, string>> };

/** The source with the idea in it; undefined where it has no place for it. */
export function applyIdea(source: string, { edit }: Idea): string | undefined {
  if (edit.kind === 'regions') return withRegions(source, edit.regions);
  return Object.entries(edit.prompts).reduce<string | undefined>(
    (text, [key, prompt]) => (text === undefined ? undefined : withPrompt(text, key, prompt)),
    source,
  );
}

/** Whether the source has it, be it in a form that builds upon it. */
export function hasIdea(source: string, idea: Idea, all: readonly Idea[]): boolean {
  const { edit } = idea;
  if (edit.kind === 'prompts') {
    return Object.entries(edit.prompts).every(([key, prompt]) => promptIn(source, key) === prompt);
  }
  const heirs = all.filter(({ name, needs }) => name === idea.name || needs.includes(idea.name));
  const known = new Set(heirs.flatMap(regionsOf).map(({ slot, variant }) => `${slot}: ${variant}`));
  const slots = new Set(edit.regions.map(({ slot }) => slot));
  return regionsIn(source)
    .filter(({ slot }) => slots.has(slot))
    .every(({ slot, variant }) => known.has(`${slot}: ${variant}`));
}

/** What it touches: two ideas that touch the same can't be tried in one harness. */
export function slotsOf({ edit }: Idea): string[] {
  return edit.kind === 'prompts' ? ['prompts'] : edit.regions.map(({ slot }) => slot);
}

function regionsOf({ edit }: Idea): readonly Region[] {
  return edit.kind === 'regions' ? edit.regions : [];
}
