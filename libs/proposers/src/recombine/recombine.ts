import { rng, sha256 } from '@whale/kernel';
import { componentAt, componentKey, replaceComponents } from '../components.ts';
import { withHeader } from '../header.ts';
import type { Draft, JudgedDraft, ProposalRequest, Proposer } from '../proposer.ts';
import { chooseBatch, type ChosenMove } from './batch.ts';
import { programKey, specimen, type Composition, type Specimen } from './composition.ts';
import { diagnose, type Diagnosis } from './diagnosis.ts';
import { moveAgain, movesFrom, type Move } from './moves.ts';
import { variantPool, type Pool, type Variant } from './pool.ts';
import { Surrogate, type Observation } from './surrogate.ts';
import { changesOf, hypothesisOf, type Measured } from './wording.ts';

/** Expected gain of a variant that aims at all that the failures lack, as a share of the failures. */
const TARGETED_GAIN = 0.12;
/** Harnesses besides the incumbent that candidates are made from. */
const OTHER_BASES = 2;
/** Harnesses whose regions are crossed with the incumbent's. */
const DONORS = 8;
/** Entries the surrogate looks at, the present θ first, then the newest. */
const MOST_OBSERVATIONS = 240;

/**
 * Writes candidates without an LLM: exchanges the regions of archived harnesses for variants of the domain and of each
 * other. Which, is decided by a model of the archive (Surrogate) and by what the incumbent's failures lack. The same
 * request gives the same drafts.
 */
export class Recombine implements Proposer {
  async *propose(request: ProposalRequest, signal: AbortSignal): AsyncGenerator<Draft, string | void, void> {
    const search = new Search(request);
    const chosen = search.choose();
    for (const move of chosen) {
      signal.throwIfAborted();
      yield search.write(move);
    }
    if (chosen.length < request.count) return search.exhaustion();
  }
}

class Search {
  readonly #request: ProposalRequest;
  readonly #incumbent: Specimen;
  readonly #measured: readonly Measured[];
  readonly #others: readonly Measured[];
  readonly #pool: Pool;
  readonly #diagnosis: Diagnosis | null;

  constructor(request: ProposalRequest) {
    this.#request = request;
    const { archive, incumbent, weightsVersion, domain } = request;
    const specimens = new Map<string, Specimen>();
    const all = archive.map((entry): Measured => {
      const known = specimens.get(entry.harnessId) ?? specimen(entry.harnessId, entry.source);
      specimens.set(entry.harnessId, known);
      return { entry, specimen: known };
    });
    this.#incumbent = specimens.get(incumbent.id) ?? specimen(incumbent.id, incumbent.source);
    this.#measured = all.filter(({ entry }) => entry.weightsVersion === weightsVersion);
    this.#others = all.filter(({ entry }) => entry.weightsVersion !== weightsVersion);
    this.#pool = variantPool(domain, [this.#incumbent, ...specimens.values()]);
    this.#diagnosis = this.#diagnose(this.#incumbent);
  }

  choose(): ChosenMove[] {
    const { seed, count, judged } = this.#request;
    const random = rng(`${seed}/recombine/${judged.length}`);
    const surrogate = this.#surrogate();
    const moves = this.#moves(surrogate);
    const score = surrogate.predict(this.#incumbent.composition).mean;
    const tasks = Math.max(1, this.#measured[0]?.entry.measured ?? 1);
    return chooseBatch(moves, count, surrogate, varianceOf(score * tasks, tasks), random, this.#usedSlots());
  }

  write(chosen: ChosenMove): Draft {
    const { move } = chosen;
    const diagnosis = move.base.id === this.#incumbent.id ? this.#diagnosis : this.#diagnose(move.base);
    const { weightsVersion } = this.#request;
    const parent = move.base.id;
    const changes = changesOf(chosen);
    const hypothesis = hypothesisOf(chosen, { weightsVersion, measured: this.#measured, diagnosis });
    // The same program under an earlier θ keeps its text, so that its scores belong to one harness.
    const same = this.#others.find((other) => programKey(other.specimen.composition) === move.key);
    const source = same?.specimen.source ?? withHeader(exchangedSource(move), { parent, changes, hypothesis });
    return { source, parent, hypothesis, changes };
  }

  exhaustion(): string {
    const { weightsVersion } = this.#request;
    const regions = this.#incumbent.components.size;
    if (regions === 0)
      return 'the incumbent has no regions, and no archived harness with regions has anything left to try';
    return `every exchange of one or two of the ${regions} regions has been scored under ${weightsVersion} or refused`;
  }

  #moves(surrogate: Surrogate): Move[] {
    const { judged, seed } = this.#request;
    const random = rng(`${seed}/recombine/moves`);
    const taken = new Set([
      programKey(this.#incumbent.composition),
      ...this.#measured.map(({ specimen: { composition } }) => programKey(composition)),
      ...judged.map(({ draft }) => programKey(specimen('', draft.source).composition)),
    ]);
    const banned = new Set(
      judged.map((one) =>
        brokenVariant(
          one,
          this.#exchangedIn(one.draft).map(([, key]) => key),
        ),
      ),
    );
    const ranked = unique([...this.#measured, ...this.#others].map((one) => one.specimen))
      .filter((one) => one.id !== this.#incumbent.id && one.components.size > 0)
      .map((one) => ({ one, mean: surrogate.predict(one.composition).mean }))
      .sort((a, b) => b.mean - a.mean)
      .map(({ one }) => one);
    const bases = [this.#incumbent, ...ranked.slice(0, OTHER_BASES)].filter((base) => base.components.size > 0);
    if (bases.length === 0) bases.push(this.#seedHarness());
    const again = unique(this.#others.map((one) => one.specimen)).map((one) =>
      moveAgain(this.#incumbent, one, this.#pool),
    );
    const seen = new Set(taken);
    return [...again, ...movesFrom(bases, ranked.slice(0, DONORS), this.#pool, random)].filter((move) => {
      if (seen.has(move.key) || move.changes.some((change) => banned.has(change.key))) return false;
      seen.add(move.key);
      return true;
    });
  }

  /** Slots that the valid drafts of the batch explore. */
  #usedSlots(): Set<string> {
    const valid = this.#request.judged.filter(({ rejection }) => rejection === null);
    return new Set(valid.flatMap(({ draft }) => this.#exchangedIn(draft).map(([slot]) => slot)));
  }

  /** [slot, key] of each component that a draft does not share with its parent. */
  #exchangedIn({ source, parent }: Draft): [string, string][] {
    const { composition } =
      [this.#incumbent, ...this.#measured.map((one) => one.specimen), this.#seedHarness()].find(
        ({ id }) => id === parent,
      ) ?? this.#incumbent;
    return [...specimen('', source).composition].filter(([slot, key]) => composition.get(slot) !== key);
  }

  #seedHarness(): Specimen {
    const { seedHarness } = this.#request.domain;
    return specimen(sha256(seedHarness), seedHarness);
  }

  #surrogate(): Surrogate {
    const { weightsVersion } = this.#request;
    const entries = [...this.#measured, ...[...this.#others].reverse()].slice(0, MOST_OBSERVATIONS);
    const observations = entries.flatMap(({ entry, specimen: { composition } }): Observation[] => {
      const { score, measured } = entry;
      if (score === null || measured === 0) return [];
      return [
        { composition, weightsVersion: entry.weightsVersion, score, variance: varianceOf(score * measured, measured) },
      ];
    });
    return new Surrogate(observations, weightsVersion, (composition) => this.#priorGain(composition));
  }

  /** What a composition promises beyond the incumbent: its variants aim at what the incumbent's failures lack. */
  #priorGain(composition: Composition): number {
    const diagnosis = this.#diagnosis;
    if (diagnosis === null || diagnosis.measured === 0) return 0;
    const failing = 1 - diagnosis.correct / diagnosis.measured;
    let gain = 0;
    for (const [slot, key] of composition) {
      if (this.#incumbent.composition.get(slot) === key) continue;
      const variant = this.#pool.get(slot)?.find((candidate) => candidate.key === key);
      if (variant !== undefined) gain += TARGETED_GAIN * failing * aim(variant, diagnosis);
    }
    return gain;
  }

  #diagnose({ id }: Specimen): Diagnosis | null {
    const entry = this.#measured.findLast((one) => one.specimen.id === id)?.entry;
    if (entry === undefined) return null;
    const reference = this.#measured.flatMap((one) => one.entry.tasks);
    return diagnose(entry.tasks, reference);
  }
}

/** How much of what the failures lack the variant aims at, in [0, 1]. */
function aim({ targets }: Variant, { lacks }: Diagnosis): number {
  return Math.max(0, ...lacks.filter(({ name }) => targets.includes(name)).map(({ excess }) => excess));
}

function exchangedSource({ base, changes }: Move): string {
  return replaceComponents(base.source, changes);
}

/** Variance of a share of `correct` in `measured`, which is never 0: a share of 0 or 1 is not certain. */
function varianceOf(correct: number, measured: number): number {
  const share = (correct + 1) / (measured + 2);
  return (share * (1 - share)) / measured;
}

function unique(specimens: readonly Specimen[]): Specimen[] {
  return [...new Map(specimens.map((one) => [one.id, one])).values()];
}

/** The component that a rejection is owed to: the one with the offending line, or the only one that was exchanged. */
function brokenVariant({ draft, rejection }: JudgedDraft, exchangedKeys: readonly string[]): string | undefined {
  if (rejection === null || rejection.stage === 'duplicate') return undefined;
  const at = rejection.line === null ? undefined : componentAt(draft.source, rejection.line);
  if (at !== undefined) return componentKey(at);
  return exchangedKeys.length === 1 ? exchangedKeys[0] : undefined;
}
