import { ProposerSpec } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import { sha256 } from '@whale/kernel';
import type { ArchiveEntry, ProposalRequest } from '@whale/proposers';
import type { z } from 'zod';

export const H0 = 'export const PROMPTS = {};\nexport default function* () {\n  return { answer: null };\n}\n';

/** A harness that differs from h₀, and a line of it that `judge` refuses. */
export const harness = (mark: string): string => H0.replace('null', `'${mark}'`);
export const BROKEN_LINE = '  return broken;';
export const broken = (mark: string): string => harness(mark).replace(/^ {2}return/mu, `${BROKEN_LINE}\n  return`);

const domain: Domain = {
  name: 'small',
  dataset: 'one',
  tasks: (split) => (split === 'harness' ? ['h1', 'h2'].map((id) => ({ id, split, input: { question: 'Who?' } })) : []),
  task: () => undefined,
  tools: () => ({ call: () => null }),
  verify: () => ({ reward: 0, diagnostics: {} }),
  gold: () => [],
  seedHarness: H0,
  components: [],
  diagnostics: {},
  description: '',
  harnessTypes: '',
};

export const PRICES = { input: 3, output: 15 };

type ClaudeInput = Extract<z.input<typeof ProposerSpec>, { kind: 'claude' }>;

export function claudeSpec(baseUrl: string, more: Partial<ClaudeInput> = {}): ProposerSpec {
  return ProposerSpec.parse({ kind: 'claude', model: 'claude-sonnet-4-6', baseUrl, prices: PRICES, ...more });
}

export function scored(source: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry {
  return {
    harnessId: sha256(source),
    source,
    weightsVersion: 'w1',
    cycle: 1,
    iteration: 0,
    index: 0,
    score: 0.25,
    measured: 40,
    tasks: [],
    ...more,
  };
}

/** Two candidates for the second iteration; the archive has h₀ and one more. */
export function proposalRequest(proposer: ProposerSpec, more: Partial<ProposalRequest> = {}): ProposalRequest {
  const archive = [scored(H0), scored(harness('one'), { iteration: 1 })];
  return {
    experimentId: 'exp-1',
    iterationId: 'iteration-2',
    attempt: 1,
    cycle: 1,
    iteration: 2,
    proposer,
    domain,
    incumbent: { id: sha256(H0), source: H0 },
    weightsVersion: 'w1',
    archive,
    count: 2,
    promptsOnly: false,
    seed: 'seed',
    known: new Set(archive.map(({ harnessId }) => harnessId)),
    ...more,
  };
}

/** The input of a write_candidate. */
export function writing(source: string, more: Record<string, unknown> = {}) {
  const input = {
    name: 'a-name',
    source,
    parent: sha256(H0).slice(0, 8),
    hypothesis: 'Fewer failures lack an answer; refuted unless more than 10 of 40 are correct.',
    changes: ['answers something'],
    ...more,
  };
  return { name: 'write_candidate', input };
}
