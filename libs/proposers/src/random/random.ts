import { rng, sha256, turn, type Rng } from '@whale/kernel';
import { replaceComponents } from '../components.ts';
import { withHeader } from '../header.ts';
import type { Draft, ProposalRequest, Proposer } from '../proposer.ts';
import { programKey, specimen, type Specimen } from '../recombine/composition.ts';
import { combinations, exchanges, extended, type Move } from '../recombine/moves.ts';
import { variantPool, type Pool } from '../recombine/pool.ts';
import { changesOf } from '../recombine/wording.ts';
import type { ProposalSession } from '../session.ts';

/** Components that one candidate exchanges at most. */
const MOST_EXCHANGES = 4;
/** Draws of what is taken already, before the rest is looked for one by one. */
const MOST_DRAWS = 64;

const HYPOTHESIS =
  'Random candidate, a control: drawn without a look at any score. Expected: no better than its parent on average; ' +
  'refuted if the random candidates of the experiment score above their parents beyond chance.';

/**
 * The control of the harness search: candidates at random from the space that Recombine searches, exchanges of regions
 * for variants of the domain and of archived harnesses. Parent, regions and variants are each drawn uniformly.
 * N1 Drafts depend on the seed and on which harnesses there are; scores, outcomes and the incumbent do not enter.
 * N2 No draft is a program that has a score under the present θ, or that was drawn before in the session.
 * N3 Outside header and exchanged regions a draft is its parent, byte for byte.
 */
export class Random implements Proposer {
  async *propose(request: ProposalRequest, { signal }: ProposalSession): ReturnType<Proposer['propose']> {
    const random = rng(`${request.seed}/random`);
    const space = new Space(request);
    let valid = 0;
    while (valid < request.count) {
      signal.throwIfAborted();
      await turn();
      const move = space.draw(random);
      if (move === undefined) {
        return `every combination of variants has been scored under ${request.weightsVersion} or refused`;
      }
      const rejection = yield space.write(move);
      if (rejection === null) valid++;
    }
  }
}

class Space {
  readonly #archived: readonly Specimen[];
  readonly #bases: readonly Specimen[];
  readonly #pool: Pool;
  readonly #taken: Set<string>;
  readonly #exchanges = new Map<Specimen, readonly Move[]>();

  constructor({ archive, incumbent, domain, weightsVersion, promptsOnly }: ProposalRequest) {
    const seedHarness = specimen(sha256(domain.seedHarness), domain.seedHarness);
    const sources = new Map(archive.map(({ harnessId, source }) => [harnessId, source]));
    this.#archived = [...sources].map(([id, source]) => specimen(id, source));
    const withRegions = this.#archived.filter(({ components }) => components.size > 0);
    this.#bases = withRegions.length > 0 ? withRegions : [seedHarness];
    this.#pool = variantPool(domain, [seedHarness, ...this.#archived], promptsOnly);
    const scored = new Set(archive.filter((entry) => entry.weightsVersion === weightsVersion).map(idOf));
    this.#taken = new Set(
      [specimen(incumbent.id, incumbent.source), ...this.#archived.filter(({ id }) => scored.has(id))].map((one) =>
        programKey(one.composition),
      ),
    );
  }

  /** A move to a program that is not taken, which it is from now on; undefined when there is none. */
  draw(random: Rng): Move | undefined {
    const move = this.#blindly(random) ?? this.#remaining(random);
    if (move !== undefined) this.#taken.add(move.key);
    return move;
  }

  write(move: Move): Draft {
    const parent = move.base.id;
    const changes = changesOf({ move });
    // The same program under an earlier θ keeps its text, so that its scores belong to one harness.
    const same = this.#archived.find((one) => programKey(one.composition) === move.key);
    const told = { parent, changes, hypothesis: HYPOTHESIS };
    const source = same?.source ?? withHeader(replaceComponents(move.base.source, move.changes), told);
    return { source, ...told };
  }

  #blindly(random: Rng): Move | undefined {
    for (let draws = 0; draws < MOST_DRAWS; draws++) {
      const move = randomMove(this.#exchangesOf(random.pick(this.#bases)), random);
      if (move !== undefined && this.#isOpen(move.key)) return move;
    }
    return undefined;
  }

  #remaining(random: Rng): Move | undefined {
    const left = this.#bases.flatMap((base) => combinations(base, this.#pool, (key) => this.#isOpen(key)));
    return left.length === 0 ? undefined : random.pick(left);
  }

  #isOpen(key: string): boolean {
    return !this.#taken.has(key);
  }

  #exchangesOf(base: Specimen): readonly Move[] {
    const known = this.#exchanges.get(base) ?? exchanges(base, this.#pool);
    this.#exchanges.set(base, known);
    return known;
  }
}

/** Some of the single exchanges in one: how many, in which slots and for which variants is drawn uniformly. */
function randomMove(singles: readonly Move[], random: Rng): Move | undefined {
  const slots = [...new Set(singles.map(slotOf))];
  if (slots.length === 0) return undefined;
  const count = 1 + random.int(Math.min(MOST_EXCHANGES, slots.length));
  const drawn = random
    .shuffle(slots)
    .slice(0, count)
    .map((slot) => random.pick(singles.filter((single) => slotOf(single) === slot)));
  return drawn.reduce((move, { changes }) => changes.reduce(extended, move));
}

const slotOf = ({ changes }: Move): string | undefined => changes[0]?.slot;
const idOf = ({ harnessId }: { harnessId: string }): string => harnessId;
