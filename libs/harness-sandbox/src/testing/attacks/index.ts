import type { Attack, Draft } from './attack.ts';
import { heaps, natives, regularExpressions, stacks } from './bombs.ts';
import { endless, errors, generators, jobs } from './control-flow.ts';
import { constructors, globals, imports, realms } from './escapes.ts';
import { memorySafety } from './memory-safety.ts';
import { accessors, prototypes, proxies } from './objects.ts';
import { answers, effects, prompts, sources } from './shapes.ts';

const BY_KIND: Record<string, readonly Draft[]> = {
  constructors,
  globals,
  realms,
  imports,
  prototypes,
  accessors,
  proxies,
  generators,
  errors,
  jobs,
  endless,
  stacks,
  heaps,
  natives,
  'regular expressions': regularExpressions,
  effects,
  answers,
  prompts,
  sources,
  'memory safety': memorySafety,
};

export const ATTACKS: readonly Attack[] = Object.entries(BY_KIND).flatMap(([kind, drafts]) =>
  drafts.map((draft) => ({ kind, ...draft })),
);
