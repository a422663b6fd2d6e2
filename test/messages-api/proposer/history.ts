/** A candidate of the past, as history.jsonl tells of it. */
export interface Tried {
  cycle: number;
  iteration: number;
  harness: string;
  parent: string;
  weights: string | undefined;
  /** Names of the ideas that it tried. */
  ideas: readonly string[];
  score: number | null;
  /** Under the same weights; null where the parent has no score there. */
  gain: number | null;
  gained: number;
  lost: number;
  accepted: boolean;
}

/** The candidates that were measured, oldest first. */
export function triedIn(lines: readonly Readonly<Record<string, unknown>>[]): Tried[] {
  return lines
    .filter(({ kind }) => kind === 'candidate')
    .map((line) => {
      const against = objectOf(line['againstParent']);
      const [before, after] = listOf(against['score']);
      return {
        cycle: Number(line['cycle']),
        iteration: Number(line['iteration']),
        harness: String(line['harness']),
        parent: String(line['parent']),
        weights: typeof line['weights'] === 'string' ? line['weights'] : undefined,
        ideas: listOf(line['changes']).map((change) => ideaIn(String(change))),
        score: numberOf(line['score']),
        gain: typeof before === 'number' && typeof after === 'number' ? after - before : null,
        gained: Number(against['gained'] ?? 0),
        lost: Number(against['lost'] ?? 0),
        accepted: line['accepted'] === true,
      };
    });
}

/** A change as a candidate tells of it: the idea's name, then what it does. */
export function changeOf({ name, mechanism }: { name: string; mechanism: string }): string {
  return `${name}: ${mechanism}`;
}

function ideaIn(change: string): string {
  return /^([\w-]+): /u.exec(change)?.[1] ?? change;
}

/** What the last iteration has taught, for its post-mortem; '' before there is one. */
export function postMortem(tried: readonly Tried[]): string {
  const last = tried.at(-1);
  if (last === undefined) return '';
  const batch = tried.filter(({ cycle, iteration }) => cycle === last.cycle && iteration === last.iteration);
  return [`Post-mortem of iteration ${last.iteration} of cycle ${last.cycle}.`, ...batch.map(lesson)].join('\n');
}

function lesson({ harness, ideas, gain, gained, lost, accepted }: Tried): string {
  const what = `- ${harness} (${ideas.join(' + ')})`;
  if (gain === null) return `${what} has no score beside its parent's: nothing is learnt.`;
  const verdict = gain > 0 ? 'confirmed as far as one rollout a task can tell' : 'refuted';
  const difference = `${gain < 0 ? '−' : '+'}${(100 * Math.abs(gain)).toFixed(1)} points`;
  return `${what}: ${difference}, ${gained} tasks gained, ${lost} lost: ${verdict}${accepted ? '; accepted' : ''}.`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
