import { readFileSync } from 'node:fs';

/** What the model is told before anything else: the same in every session, so that it is read from the prompt cache. */
export const skill = readFileSync(new URL('./skill.md', import.meta.url), 'utf8').trim();
