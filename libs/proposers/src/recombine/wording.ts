import type { ArchiveEntry } from '../proposer.ts';
import type { Specimen } from './composition.ts';
import type { ChosenMove } from './batch.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { Variant } from './pool.ts';

export interface Measured {
  entry: ArchiveEntry;
  specimen: Specimen;
}

export interface Evidence {
  weightsVersion: string;
  /** Entries of the present θ. */
  measured: readonly Measured[];
  /** Of the base's own tasks; null when it was not measured under the present θ. */
  diagnosis: Diagnosis | null;
}

/** `query: verbatim → terse`, one line for each region that is exchanged. */
export function changesOf({ move }: Pick<ChosenMove, 'move'>): string[] {
  const from = move.kind === 'again' ? ['the harness as it was proposed before'] : [];
  return [
    ...from,
    ...move.changes.map(
      ({ slot, variant }) => `${slot}: ${move.base.components.get(slot)?.variant ?? '(none)'} → ${variant}`,
    ),
  ];
}

/** A sentence of what is expected, why, by which numbers, and what would refute it. */
export function hypothesisOf(chosen: ChosenMove, evidence: Evidence): string {
  const { move } = chosen;
  return [
    ...move.changes.map((change) => sentence(change.hypothesis) ?? `${change.variant} serves ${change.slot} better.`),
    ...(move.kind === 'crossover' ? [`The regions come from ${short(move.donor?.id ?? '')}.`] : []),
    ...(move.kind === 'again' ? [`${short(move.donor?.id ?? '')} was measured under earlier weights only.`] : []),
    ...failures(move.changes, evidence.diagnosis),
    ...records(move.changes, evidence),
    refutation(chosen, evidence.diagnosis),
  ].join(' ');
}

function failures(changes: readonly Variant[], diagnosis: Diagnosis | null): string[] {
  if (diagnosis === null) return [];
  const targets = new Set(changes.flatMap((change) => change.targets));
  return diagnosis.lacks
    .filter(({ name, lacking }) => targets.has(name) && lacking > 0)
    .map(({ name, isFault, lacking, failures: all }) => {
      return `${lacking} of ${all} failures of the parent ${isFault ? 'show' : 'lack'} ${name}.`;
    });
}

/** How harnesses with each variant fared against those with another in its slot, under the same θ. */
function records(changes: readonly Variant[], { measured, weightsVersion }: Evidence): string[] {
  const scored = measured.filter(({ entry }) => entry.score !== null);
  const untried: string[] = [];
  const fared = changes.flatMap(({ slot, variant, key }) => {
    const comparable = scored.filter(({ specimen }) => specimen.composition.has(slot));
    const own = comparable.filter(({ specimen }) => specimen.composition.get(slot) === key);
    const others = comparable.filter(({ specimen }) => specimen.composition.get(slot) !== key);
    if (own.length === 0) {
      untried.push(`${slot}:${variant}`);
      return [];
    }
    const text = `${slot}:${variant} scored ${average(own).toFixed(3)} in ${counted(own.length)}`;
    if (others.length === 0) return [`${text}.`];
    return [`${text}, ${signed(average(own) - average(others))} against ${counted(others.length)} without it.`];
  });
  return untried.length === 0 ? fared : [...fared, `Untried under ${weightsVersion}: ${untried.join(', ')}.`];
}

function refutation({ expected }: ChosenMove, diagnosis: Diagnosis | null): string {
  const guess = `Expected ${expected.mean.toFixed(3)} ± ${expected.deviation.toFixed(3)}`;
  if (diagnosis === null || diagnosis.measured === 0) return `${guess}.`;
  const { correct, measured } = diagnosis;
  return `${guess}; refuted unless more than the parent's ${correct} of ${measured} tasks come out correct.`;
}

function average(list: readonly Measured[]): number {
  return list.reduce((sum, { entry }) => sum + (entry.score ?? 0), 0) / list.length;
}

function sentence(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /[.!?]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}

const counted = (n: number) => `${n} ${n === 1 ? 'harness' : 'harnesses'}`;
const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
const short = (id: string) => id.slice(0, 12);
