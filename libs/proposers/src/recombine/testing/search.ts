import type { Domain } from '@whale/domain-api';
import { rng, sha256 } from '@whale/kernel';
import { parseComponents, replaceComponents } from '../../components.ts';
import type { ArchiveEntry, ProposalRequest, Proposer } from '../../proposer.ts';
import { drive } from '../../testing/drive.ts';

export interface SearchRun {
  /** Source of the accepted harness after each iteration, h₀ first. */
  incumbents: string[];
  archive: ArchiveEntry[];
}

type Measure = (
  source: string,
  at: Pick<ArchiveEntry, 'weightsVersion' | 'cycle' | 'iteration' | 'index'>,
) => ArchiveEntry | Promise<ArchiveEntry>;

/** The part of a request that says where in an experiment it stands. */
export const asked = {
  experimentId: 'exp-1',
  iterationId: 'iteration-1',
  attempt: 1,
  cycle: 1,
  iteration: 1,
  proposer: { kind: 'recombine' },
  promptsOnly: false,
} as const;

/** A harness phase without services: iterations of `count` candidates, arg max of the archive, ties keep the incumbent. */
export async function searchPhase(input: {
  domain: Domain;
  proposer: Proposer;
  measure: Measure;
  iterations: number;
  count: number;
  seed: string;
}): Promise<SearchRun> {
  const { domain, proposer, measure, iterations, count, seed } = input;
  const weightsVersion = 'w1';
  const archive = [await measure(domain.seedHarness, { weightsVersion, cycle: 1, iteration: 0, index: 0 })];
  let incumbent = archive[0] as ArchiveEntry;
  const incumbents = [incumbent.source];
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const request: ProposalRequest = {
      ...asked,
      iteration,
      domain,
      incumbent: { id: incumbent.harnessId, source: incumbent.source },
      weightsVersion,
      archive: [...archive],
      count,
      seed: `${seed}/${iteration}`,
      known: new Set(archive.map((entry) => entry.harnessId)),
    };
    const { drafts } = await drive(proposer, request);
    for (const [index, draft] of drafts.entries()) {
      const entry = await measure(draft.source, { weightsVersion, cycle: 1, iteration, index });
      archive.push(entry);
      if ((entry.score ?? 0) > (incumbent.score ?? 0)) incumbent = entry;
    }
    incumbents.push(incumbent.source);
  }
  return { incumbents, archive };
}

/** The control: the same exchanges of one or two regions of the incumbent, picked blindly; no harness twice. */
export const randomPicking: Proposer = {
  async *propose({ domain, incumbent, count, seed, archive }) {
    const random = rng(`${seed}/random`);
    const taken = new Set(archive.map((entry) => entry.source));
    for (let tries = 0, written = 0; written < count && tries < 1000; tries++) {
      const slots = random.shuffle(parseComponents(incumbent.source)).slice(0, 1 + random.int(2));
      const picks = slots.map(({ slot, variant }) => {
        const others = domain.components.filter((other) => other.slot === slot && other.name !== variant);
        const pick = random.pick(others);
        return { slot, variant: pick.name, text: `${pick.source}\n` };
      });
      const source = replaceComponents(incumbent.source, picks);
      if (taken.has(source)) continue;
      taken.add(source);
      written++;
      yield { source, parent: sha256(incumbent.source), hypothesis: '', changes: [] };
    }
  },
};

/** A request under w1. */
export function requestOf(
  { domain, incumbent, archive }: { domain: Domain; incumbent: ArchiveEntry; archive: readonly ArchiveEntry[] },
  extra: Partial<ProposalRequest> = {},
): ProposalRequest {
  return {
    ...asked,
    domain,
    incumbent: { id: incumbent.harnessId, source: incumbent.source },
    weightsVersion: 'w1',
    archive,
    count: 3,
    seed: 'seed',
    known: new Set(archive.filter((entry) => entry.weightsVersion === 'w1').map((entry) => entry.harnessId)),
    ...extra,
  };
}
