import { sha256 } from '@whale/kernel';
import { describe, expect, it } from 'vitest';
import { parseComponents, replaceComponents } from '../components.ts';
import { withoutHeader } from '../header.ts';
import type { ArchiveEntry, Draft, ProposalRequest, Rejection } from '../proposer.ts';
import { requestOf, searchPhase } from '../recombine/testing/search.ts';
import { syntheticDomain } from '../recombine/testing/synthetic.ts';
import { bareSession, drive } from '../testing/drive.ts';
import { Random } from './random.ts';

const world = syntheticDomain({ seed: 'tests' });
const { domain } = world;
const at = { weightsVersion: 'w1', cycle: 1, iteration: 0, index: 0 };
const first = world.measure(domain.seedHarness, at);

const request = (archive: readonly ArchiveEntry[], extra: Partial<ProposalRequest> = {}) =>
  requestOf({ domain, incumbent: first, archive }, extra);

const propose = (input: ProposalRequest, judge?: (draft: Draft) => Rejection | null) =>
  drive(new Random(), input, judge);
const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
const program = (source: string) => parseComponents(source).map(({ slot, text }) => `${slot}=${text.trim()}`);
const phase = (seed: string, iterations: number) =>
  searchPhase({ ...world, proposer: new Random(), iterations, count: 4, seed });

describe('random', () => {
  it('gives the same drafts for the same request, and others for another seed', async () => {
    const { archive } = await phase('x', 3);
    expect(await propose(request(archive))).toEqual(await propose(request(archive)));
    expect(await propose(request(archive, { seed: 'other' }))).not.toEqual(await propose(request(archive)));
  });

  it('N1: gives the same drafts whatever the scores and outcomes are, and whoever is the incumbent', async () => {
    const { archive } = await phase('x', 3);
    const upsideDown = archive.map((entry): ArchiveEntry => ({
      ...entry,
      score: entry.score === null ? null : 1 - entry.score,
      measured: entry.measured + 7,
      tasks: entry.tasks.map((task) => ({
        ...task,
        outcome: task.outcome === 'correct' ? 'harness_error' : 'correct',
        diagnostics: { format: false },
      })),
    }));
    const last = archive.at(-1) as ArchiveEntry;
    const other = request(upsideDown, { count: 12, incumbent: { id: last.harnessId, source: last.source } });
    expect(await propose(other)).toEqual(await propose(request(archive, { count: 12 })));
  });

  it('N2: never writes a program twice, whatever its header, over a whole phase', async () => {
    const { archive } = await phase('y', 8);
    expect(archive).toHaveLength(33);
    expect(new Set(archive.map(({ source }) => program(source).join()))).toHaveLength(33);
  });

  it('N3: leaves all but header and exchanged regions byte for byte', async () => {
    const { archive } = await phase('z', 2);
    const { drafts } = await propose(request(archive, { count: 10 }));
    for (const draft of drafts) {
      const parent = archive.find(({ harnessId }) => harnessId === draft.parent)?.source ?? '';
      const slots = draft.changes.map((change) => change.split(':')[0]);
      const changed = parseComponents(draft.source).filter(({ slot }) => slots.includes(slot));
      expect(slots.length).toBeGreaterThanOrEqual(1);
      expect(slots.length).toBeLessThanOrEqual(4);
      expect(withoutHeader(draft.source)).toBe(withoutHeader(replaceComponents(parent, changed)));
    }
  });

  it('says in hypothesis and header that it is a random candidate', async () => {
    const [draft] = (await propose(request([first]))).drafts;
    expect(draft?.hypothesis).toMatch(/^Random candidate, a control: .* no better than its parent on average/u);
    expect(draft?.source).toContain('// hypothesis: Random candidate, a control:');
  });

  it('draws parents and variants uniformly', async () => {
    const { archive } = await phase('u', 1);
    const one = async (from: readonly ArchiveEntry[], i: number): Promise<Draft[]> =>
      (await propose(request(from, { seed: `s${i}`, count: 1 }))).drafts;
    const counts = new Map<string, number>();
    for (let i = 0; i < 1000; i++) {
      for (const { parent } of await one(archive, i)) count(counts, parent);
      for (const { changes } of await one([first], i)) for (const change of changes) count(counts, change);
    }
    const parents = archive.map(({ harnessId }) => counts.get(harnessId) ?? 0);
    const variants = [...counts].filter(([key]) => key.includes('→')).map(([, times]) => times);
    // Five parents, and 7 slots of 3 other variants of which a draft takes 2.5: 200 and 119 each, within 4 deviations.
    expect([parents.length, variants.length]).toEqual([5, 21]);
    for (const times of parents) expect(Math.abs(times - 200)).toBeLessThan(51);
    for (const times of variants) expect(Math.abs(times - 119)).toBeLessThan(44);
  });

  it('takes regions that grew in the archive, and harnesses of an earlier θ under their old id', async () => {
    const grown = replaceComponents(domain.seedHarness, [
      { slot: 'slot3', variant: 'invented', text: "const slot3 = 'invented';\n" },
    ]);
    const before = world.measure(grown, { ...at, weightsVersion: 'w0' });
    const { drafts } = await propose(request([before, first], { count: 200 }));
    expect(drafts.filter(({ source }) => source.includes("slot3 = 'invented'")).length).toBeGreaterThan(2);
    const small = syntheticDomain({ seed: 'small', slots: 2, variants: 2 });
    const start = small.measure(small.domain.seedHarness, at);
    const [one] = (await propose({ ...request([start]), domain: small.domain, count: 1 })).drafts as [Draft];
    const veteran = small.measure(one.source, { ...at, weightsVersion: 'w0' });
    const all = await propose({ ...request([veteran, start]), domain: small.domain, count: 10 });
    expect(all.drafts.map(({ source }) => sha256(source))).toContain(veteran.harnessId);
  });

  it('replaces rejected drafts by other programs', async () => {
    let calls = 0;
    const refused: Rejection = { stage: 'parse', message: 'no', line: 1 };
    const { judged } = await propose(request([first]), () => (calls++ % 2 === 0 ? refused : null));
    expect(judged.filter(({ rejection }) => rejection === null)).toHaveLength(3);
    expect(new Set(judged.map(({ draft }) => program(draft.source).join()))).toHaveLength(judged.length);
  });

  it('says when the space is exhausted, and has written all of it by then', async () => {
    const small = syntheticDomain({ seed: 'small', slots: 2, variants: 2 });
    const start = small.measure(small.domain.seedHarness, at);
    const input: ProposalRequest = {
      ...request([start]),
      domain: small.domain,
      incumbent: { id: start.harnessId, source: start.source },
      count: 10,
    };
    const all = await propose(input);
    expect(new Set(all.drafts.map(({ source }) => program(source).join()))).toHaveLength(3);
    expect(all.end).toMatch(/^every combination of variants has been scored under w1/u);
  });

  it('goes on from h₀ where no archived harness has regions', async () => {
    const foreign = world.measure('export const PROMPTS = {};\n', at);
    const { drafts } = await propose(request([foreign]));
    expect(drafts.map(({ parent }) => parent)).toEqual(Array(3).fill(sha256(domain.seedHarness)));
  });

  it('stops when told, and keeps what it has written', async () => {
    const abort = new AbortController();
    const generator = new Random().propose(request([first]), bareSession(abort.signal));
    expect((await generator.next()).done).toBe(false);
    abort.abort(new Error('stopped'));
    await expect(generator.next(null)).rejects.toThrow('stopped');
  });
});
