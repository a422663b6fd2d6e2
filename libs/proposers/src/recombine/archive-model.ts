import { sha256, turn } from '@whale/kernel';
import type { ProposalRequest } from '../proposer.ts';
import { specimen, type Composition, type Specimen } from './composition.ts';
import { diagnose, type Diagnosis } from './diagnosis.ts';
import { variantPool, type Pool, type Variant } from './pool.ts';
import { Surrogate, type Observation } from './surrogate.ts';
import type { Measured } from './wording.ts';

/** Expected gain of a variant that aims at all that the failures lack, as a share of the failures. */
const TARGETED_GAIN = 0.12;
/** Entries the surrogate looks at, the present θ first, then the newest. */
const MOST_OBSERVATIONS = 160;

const ENTRIES_A_TURN = 32;

/** The archive as the search sees it: harnesses taken apart, what they were measured at, and what to expect of others. */
export class ArchiveModel {
  readonly incumbent: Specimen;
  readonly seedHarness: Specimen;
  /** Entries under the present θ, and under others. */
  readonly measured: readonly Measured[];
  readonly earlier: readonly Measured[];
  readonly pool: Pool;
  readonly surrogate: Surrogate;
  readonly #diagnosis: Diagnosis | null;

  /** Takes a large archive apart in several turns of the event loop. */
  static async of(request: ProposalRequest): Promise<ArchiveModel> {
    const specimens = new Map<string, Specimen>();
    const all: Measured[] = [];
    for (const [i, entry] of request.archive.entries()) {
      if (i % ENTRIES_A_TURN === 0) await turn();
      const known = specimens.get(entry.harnessId) ?? specimen(entry.harnessId, entry.source);
      specimens.set(entry.harnessId, known);
      all.push({ entry, specimen: known });
    }
    await turn();
    return new ArchiveModel(request, specimens, all);
  }

  private constructor(
    { incumbent, weightsVersion, domain, promptsOnly }: ProposalRequest,
    specimens: ReadonlyMap<string, Specimen>,
    all: readonly Measured[],
  ) {
    this.incumbent = specimens.get(incumbent.id) ?? specimen(incumbent.id, incumbent.source);
    this.seedHarness = specimen(sha256(domain.seedHarness), domain.seedHarness);
    this.measured = all.filter(({ entry }) => entry.weightsVersion === weightsVersion);
    this.earlier = all.filter(({ entry }) => entry.weightsVersion !== weightsVersion);
    this.pool = variantPool(domain, [this.incumbent, ...specimens.values()], promptsOnly);
    this.#diagnosis = this.diagnosisOf(this.incumbent);
    const entries = [...this.measured, ...[...this.earlier].reverse()].slice(0, MOST_OBSERVATIONS);
    this.surrogate = new Surrogate(entries.flatMap(observationOf), weightsVersion, (composition) =>
      this.#priorGain(composition),
    );
  }

  /** Variance of the score of a candidate like the incumbent, as a measurement. */
  get variance(): number {
    const measured = this.measured[0]?.entry.measured ?? 1;
    const { mean } = this.surrogate.predict(this.incumbent.composition);
    return varianceOf(Math.min(1, Math.max(0, mean)) * measured, Math.max(1, measured));
  }

  /** The other archived harnesses with regions, best first by expectation under the present θ. */
  get ranked(): Specimen[] {
    return unique([...this.measured, ...this.earlier])
      .filter(({ id, components }) => id !== this.incumbent.id && components.size > 0)
      .map((one) => ({ one, mean: this.surrogate.predict(one.composition).mean }))
      .sort((a, b) => b.mean - a.mean)
      .map(({ one }) => one);
  }

  /** Harnesses that were measured under earlier θ. */
  get veterans(): Specimen[] {
    return unique(this.earlier);
  }

  find(id: string): Specimen | undefined {
    const specimens = [...this.measured, ...this.earlier].map((one) => one.specimen);
    return [this.incumbent, ...specimens, this.seedHarness].find((one) => one.id === id);
  }

  /** What the failures of a harness lack; null when it was not measured under the present θ. */
  diagnosisOf({ id }: Specimen): Diagnosis | null {
    const entry = this.measured.findLast((one) => one.specimen.id === id)?.entry;
    if (entry === undefined) return null;
    return diagnose(
      entry.tasks,
      this.measured.flatMap((one) => one.entry.tasks),
    );
  }

  /** What a composition promises beyond the incumbent: its variants aim at what the incumbent's failures lack. */
  #priorGain(composition: Composition): number {
    const diagnosis = this.#diagnosis;
    if (diagnosis === null || diagnosis.measured === 0) return 0;
    const failing = 1 - diagnosis.correct / diagnosis.measured;
    let gain = 0;
    for (const [slot, key] of composition) {
      if (this.incumbent.composition.get(slot) === key) continue;
      const variant = this.pool.get(slot)?.find((candidate) => candidate.key === key);
      if (variant !== undefined) gain += TARGETED_GAIN * failing * aim(variant, diagnosis);
    }
    return gain;
  }
}

/** How much of what the failures lack the variant aims at, in [0, 1]. */
function aim({ targets }: Variant, { lacks }: Diagnosis): number {
  return Math.max(0, ...lacks.filter(({ name }) => targets.includes(name)).map(({ excess }) => excess));
}

function observationOf({ entry, specimen: { composition } }: Measured): Observation[] {
  const { score, measured, weightsVersion } = entry;
  if (score === null || measured === 0) return [];
  return [{ composition, weightsVersion, score, variance: varianceOf(score * measured, measured) }];
}

/** Variance of a share of `correct` in `measured`, which is never 0: a share of 0 or 1 is not certain. */
function varianceOf(correct: number, measured: number): number {
  const share = (correct + 1) / (measured + 2);
  return (share * (1 - share)) / measured;
}

function unique(list: readonly Measured[]): Specimen[] {
  return [...new Map(list.map(({ specimen: one }) => [one.id, one])).values()];
}
