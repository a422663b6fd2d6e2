/*
 * A proposer of one's own: hill climbing. Each candidate is the incumbent with one region exchanged for another variant of
 * the domain, in random order; what has a score already is left out. A search to compare others with, and to begin from.
 *
 *   proposer: { kind: module, path: ./examples/proposers/hill-climb.ts, options: { slots: [query, search] } }
 */
import { regionsOf, withVariant } from '@whale/domain-api';
import { rng, sha256 } from '@whale/kernel';
import type { Proposer, ProposerModule } from '@whale/proposers';
import { z } from 'zod';

const Options = z.strictObject({
  /** The regions that may be exchanged; all when absent. */
  slots: z.array(z.string()).min(1).optional(),
});

class HillClimb implements Proposer {
  readonly #slots: readonly string[] | undefined;

  constructor({ slots }: z.infer<typeof Options>) {
    this.#slots = slots;
  }

  async *propose({
    domain,
    incumbent,
    known,
    seed,
  }: Parameters<Proposer['propose']>[0]): ReturnType<Proposer['propose']> {
    const regions = new Map(regionsOf(incumbent.source).map(({ slot, variant }) => [slot, variant]));
    const neighbours = domain.components.filter(
      ({ slot, name }) => regions.has(slot) && regions.get(slot) !== name && (this.#slots?.includes(slot) ?? true),
    );
    for (const variant of rng(`${seed}/hill-climb`).shuffle(neighbours)) {
      const source = withVariant(incumbent.source, variant);
      if (known.has(sha256(source))) continue;
      // The verdict of each draft comes back from yield; the next neighbour replaces what was rejected.
      yield {
        source,
        parent: incumbent.id,
        hypothesis: `${variant.hypothesis} Refuted unless it scores above its parent.`,
        changes: [`${variant.slot}: ${regions.get(variant.slot)} → ${variant.name}`],
      };
    }
    return 'every neighbour of the incumbent has been tried: it is a local optimum';
  }
}

const module: ProposerModule = {
  name: 'hill-climb',
  create: (options) => new HillClimb(Options.parse(options)),
};
export default module;
