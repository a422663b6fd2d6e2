import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSpec, type Spec } from '@whale/contracts';
import { loadDomain } from '@whale/domain-loader';
import { HarnessChecker } from '@whale/harness-sandbox';
import { Command, Module, type ProposalRequest } from '@whale/proposers';
import { contractRequest, drive, proposerContract, RecordedSession } from '@whale/proposers/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const checker = new HarnessChecker();
afterAll(() => checker.close());

function example(name: string): Spec {
  const file = fileURLToPath(new URL(`../../examples/${name}.yaml`, import.meta.url));
  return parseSpec(parse(readFileSync(file, 'utf8')), file);
}

/** What the examples read of a workspace. */
function workspace({ archive }: ProposalRequest): Record<string, string> {
  const ranked = [...archive].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  const best = ranked.map(({ harnessId, score, measured }) => {
    return { harness: harnessId.slice(0, 12), score, correct: (score ?? 0) * measured, measured };
  });
  const harnesses = archive.flatMap(({ harnessId, source }) => {
    const folder = `harnesses/${harnessId.slice(0, 12)}`;
    return [
      [`${folder}/harness.ts`, source],
      [`${folder}/score.json`, JSON.stringify({ id: harnessId })],
    ];
  });
  return { ...Object.fromEntries(harnesses), 'frontier.json': JSON.stringify({ weights: 'w1', best }) };
}

const environment = { PATH: process.env['PATH'] };
const proposers = { 'own-proposer': () => new Module(), 'command-proposer': () => new Command({ environment }) };

for (const [name, proposer] of Object.entries(proposers)) {
  const spec = example(name);
  proposerContract({
    name: `examples/${name}.yaml`,
    spec: spec.proposer,
    proposer,
    domain: () => loadDomain(spec.domain),
    checkHarness: async (source, { harnessTypes }) => {
      const result = await checker.check(source, { domainTypes: harnessTypes });
      return result.ok ? [] : [`${result.stage}: ${result.message}`];
    },
    workspace,
  });
}

describe('the examples', () => {
  it('hill climbing changes the named regions of the incumbent, until there is nothing left', async () => {
    const { proposer, domain } = example('own-proposer');
    const request = contractRequest(await loadDomain(domain), proposer);
    const { drafts, end } = await drive(new Module(), { ...request, count: 1000 });
    const slots = drafts.map(({ changes }) => changes[0]?.split(':')[0]);
    expect(new Set(slots)).toEqual(new Set(['prompts', 'query', 'search', 'ranking', 'packaging']));
    expect(new Set(drafts.map(({ parent }) => parent))).toEqual(new Set([request.incumbent.id]));
    expect(end).toBe('every neighbour of the incumbent has been tried: it is a local optimum');
  });

  it('the script changes one number of a harness, and says which', async () => {
    const { proposer, domain } = example('command-proposer');
    const request = { ...contractRequest(await loadDomain(domain), proposer), count: 3 };
    const session = new RecordedSession({ files: workspace(request) });
    onTestFinished(() => session.remove());
    const { drafts } = await drive(new Command({ environment }), request, undefined, session);
    expect(drafts).toHaveLength(3);
    for (const { source, parent, changes } of drafts) {
      const [, line, before, after] = /^line (\d+): (\d+) → (\d+), now: /u.exec(changes[0] ?? '') ?? [];
      const from = request.archive.find(({ harnessId }) => harnessId === parent)?.source.split('\n') ?? [];
      const other = source.split('\n').flatMap((text, i) => (text === from[i] ? [] : [i + 1]));
      expect(other).toEqual([Number(line)]);
      expect([Number(before) * 2, Math.floor(Number(before) / 2)]).toContain(Number(after));
    }
  });

  it('the control is random', () => {
    expect(example('random-control').proposer).toEqual({ kind: 'random' });
  });
});
