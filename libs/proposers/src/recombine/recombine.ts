import { rng, turn } from '@whale/kernel';
import { componentAt, componentKey, replaceComponents } from '../components.ts';
import { withHeader } from '../header.ts';
import type { Draft, JudgedDraft, ProposalRequest, Proposer } from '../proposer.ts';
import type { ProposalSession } from '../session.ts';
import { ArchiveModel } from './archive-model.ts';
import { chooseBatch, type ChosenMove } from './batch.ts';
import { programKey, specimen } from './composition.ts';
import { again, combinations, crossovers, exchangeable, exchanges, type Move } from './moves.ts';
import type { Variant } from './pool.ts';
import { changesOf, hypothesisOf } from './wording.ts';

/** Harnesses besides the incumbent that candidates are made from. */
const OTHER_BASES = 2;
/** Plans of a batch: the first, and those that replace what was rejected. */
const MOST_ROUNDS = 4;
/** Harnesses whose regions are crossed with the incumbent's. */
const DONORS = 8;

/**
 * Writes candidates without an LLM: exchanges the regions of archived harnesses for variants of the domain and of each
 * other. Which, is decided by a model of the archive (Surrogate) and by what the incumbent's failures lack.
 * R1 The same request gives the same drafts.
 * R2 No draft is a program that has a score under the present θ, or that is in the batch, under whatever header.
 * R3 Outside header and exchanged regions a draft is its parent, byte for byte.
 */
export class Recombine implements Proposer {
  /** What is rejected is planned anew, knowing why; who finds fewer moves than asked is not asked again. */
  async *propose(request: ProposalRequest, { signal }: ProposalSession): ReturnType<Proposer['propose']> {
    const model = await ArchiveModel.of(request);
    const judged: JudgedDraft[] = [];
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const before = judged.length;
      const missing = request.count - judged.filter(isValid).length;
      const chosen = await choose(request, missing, judged, model);
      for (const move of chosen) {
        signal.throwIfAborted();
        const draft = write(move, request, model);
        judged.push({ draft, rejection: yield draft });
      }
      if (judged.slice(before).every(isValid)) {
        if (chosen.length < missing) return exhaustion(request, model);
        return;
      }
    }
  }
}

async function choose(
  { seed, known }: ProposalRequest,
  count: number,
  judged: readonly JudgedDraft[],
  model: ArchiveModel,
): Promise<ChosenMove[]> {
  const random = rng(`${seed}/recombine/${judged.length}`);
  const taken = new Set([
    programKey(model.incumbent.composition),
    ...model.measured.map((one) => programKey(one.specimen.composition)),
    ...judged.map(({ draft }) => programKey(specimen('', draft.source).composition)),
  ]);
  const banned = new Set(judged.map((one) => brokenVariant(one, model)));
  const isOpen = (key: string): boolean => !taken.has(key);
  const isSound = ({ key }: Variant): boolean => !banned.has(key);
  const isAllowed = ({ changes }: Move): boolean => changes.every(isSound);

  const valid = judged.filter(isValid);
  await turn();
  const { incumbent, pool, ranked } = model;
  await turn();
  const bases = [incumbent, ...ranked.slice(0, OTHER_BASES)].filter((base) => base.components.size > 0);
  const [first = model.seedHarness] = bases;
  const usual = [
    ...model.veterans.filter(({ id }) => !known.has(id)).map((one) => again(incumbent, one, pool)),
    ...(bases.length === 0 ? [first] : bases).flatMap((base) => exchanges(base, pool)),
    ...ranked.slice(0, DONORS).flatMap((donor) => crossovers(first, donor, pool, random)),
  ].filter((move) => isOpen(move.key) && isAllowed(move));
  const moves = usual.length >= count ? usual : [...usual, ...combinations(first, pool, isOpen).filter(isAllowed)];
  await turn();
  return chooseBatch({
    moves: firstOfEach(moves),
    count,
    surrogate: model.surrogate,
    variance: model.variance,
    place: valid.length,
    slots: new Set(valid.flatMap(({ draft }) => [...exchangedIn(draft, model).keys()])),
    additions: (base) => exchangeable(base, pool).filter(isSound),
    isOpen,
    random,
  });
}

const isValid = ({ rejection }: JudgedDraft): boolean => rejection === null;

/** Without doubles: of two ways to the same program the one from the incumbent stands first. */
function firstOfEach(moves: readonly Move[]): Move[] {
  return [...new Map([...moves].reverse().map((move) => [move.key, move])).values()].reverse();
}

function write(chosen: ChosenMove, { weightsVersion }: ProposalRequest, model: ArchiveModel): Draft {
  const { base, changes: components, key } = chosen.move;
  const parent = base.id;
  const changes = changesOf(chosen);
  const { measured } = model;
  const hypothesis = hypothesisOf(chosen, { weightsVersion, measured, diagnosis: model.diagnosisOf(base) });
  // The same program under an earlier θ keeps its text, so that its scores belong to one harness.
  const same = model.veterans.find((one) => programKey(one.composition) === key);
  const source =
    same?.source ?? withHeader(replaceComponents(base.source, components), { parent, changes, hypothesis });
  return { source, parent, hypothesis, changes };
}

function exhaustion({ weightsVersion }: ProposalRequest, { incumbent }: ArchiveModel): string {
  const regions = incumbent.components.size;
  const where = regions === 0 ? 'of h₀, since the incumbent has none,' : 'of the incumbent';
  return `every combination of variants in the regions ${where} has been scored under ${weightsVersion} or refused`;
}

/** The component that a rejection is owed to: the one with the offending line, or the only one that was exchanged. */
function brokenVariant({ draft, rejection }: JudgedDraft, model: ArchiveModel): string | undefined {
  if (rejection === null || rejection.stage === 'duplicate') return undefined;
  const at = rejection.line === null ? undefined : componentAt(draft.source, rejection.line);
  if (at !== undefined) return componentKey(at);
  const [only, ...others] = exchangedIn(draft, model).values();
  return others.length === 0 ? only : undefined;
}

/** Slot → key of each component that a draft does not share with its parent. */
function exchangedIn({ source, parent }: Draft, model: ArchiveModel): Map<string, string> {
  const before = (model.find(parent) ?? model.incumbent).composition;
  return new Map([...specimen('', source).composition].filter(([slot, key]) => before.get(slot) !== key));
}
