import { showing, type Diagnosis } from './diagnosis.ts';
import type { Choice } from './choose.ts';

/** What is expected of a candidate and why, by the numbers of the incumbent, and what would refute it. */
export function hypothesisOf({ ideas }: Choice, diagnosis: Diagnosis, evidence: ReadonlyMap<string, number>): string {
  const { correct, measured, weaknesses } = diagnosis;
  const targets = new Set(ideas.flatMap((idea) => idea.targets));
  const target = weaknesses.find(({ name, failures, excess }) => targets.has(name) && failures > 0 && excess > 0);
  const hoped = Math.max(1, Math.ceil((target?.failures ?? measured - correct) / 10));
  return [
    ...ideas.map(({ mechanism, because }) => `${capital(mechanism)}, since ${because}.`),
    ...(target === undefined
      ? []
      : [`${target.failures} of the incumbent's ${measured - correct} failures ${showing(target.name)}.`]),
    ...ideas.flatMap(({ name, evidence: own }) => {
      const count = evidence.get(name) ?? 0;
      return own === undefined || count === 0 ? [] : [`${count} times ${own.says}.`];
    }),
    `Expected: at least ${hoped} of them come right and what is right stays right; ` +
      `refuted unless more than ${correct + hoped - 1} of ${measured} tasks come out correct.`,
  ].join(' ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
