import { sha256 } from '@whale/kernel';
import { describe, expect, it } from 'vitest';
import { parseComponents, replaceComponents } from '../components.ts';
import { withoutHeader } from '../header.ts';
import type { ArchiveEntry, Draft, ProposalRequest, Rejection } from '../proposer.ts';
import { bareSession, drive } from '../testing/drive.ts';
import { Recombine } from './recombine.ts';
import { requestOf, searchPhase } from './testing/search.ts';
import { syntheticDomain } from './testing/synthetic.ts';

const world = syntheticDomain({ seed: 'tests' });
const { domain } = world;
const at = { weightsVersion: 'w1', cycle: 1, iteration: 0, index: 0 };
const first = world.measure(domain.seedHarness, at);

function request(archive: readonly ArchiveEntry[], extra: Partial<ProposalRequest> = {}): ProposalRequest {
  const best = [...archive].sort((a, b) => (b.score ?? 0) - (a.score ?? 0))[0] ?? first;
  return requestOf({ domain, incumbent: best, archive }, extra);
}

const propose = (input: ProposalRequest, judge?: (draft: Draft) => Rejection | null) =>
  drive(new Recombine(), input, judge);

const program = (source: string) => parseComponents(source).map(({ slot, text }) => `${slot}=${text.trim()}`);
const slotsOf = (draft: Draft) => draft.changes.map((change) => change.split(':')[0]);
const swap = (source: string, ...picks: string[]) =>
  replaceComponents(
    source,
    picks.map((pick) => {
      const [slot = '', variant = ''] = pick.split(':');
      return { slot, variant, text: `const ${slot} = '${variant}';\n` };
    }),
  );

describe('recombine', () => {
  it('R1: gives the same drafts for the same request, and others for another seed', async () => {
    const run = await searchPhase({ ...world, proposer: new Recombine(), iterations: 3, count: 3, seed: 'x' });
    const input = request(run.archive);
    expect(await propose(input)).toEqual(await propose(input));
    expect(await propose({ ...input, seed: 'other' })).not.toEqual(await propose(input));
  });

  it('R2: never writes a program twice, whatever its header, over a whole phase', async () => {
    const run = await searchPhase({ ...world, proposer: new Recombine(), iterations: 8, count: 4, seed: 'y' });
    expect(run.archive).toHaveLength(33);
    expect(new Set(run.archive.map(({ source }) => program(source).join()))).toHaveLength(33);
  });

  it('R3: leaves all but header and exchanged regions byte for byte', async () => {
    const { drafts } = await propose(request([first]));
    expect(drafts).toHaveLength(3);
    for (const draft of drafts) {
      expect(draft.parent).toBe(first.harnessId);
      const changed = parseComponents(draft.source).filter(({ slot }) => slotsOf(draft).includes(slot));
      expect(withoutHeader(draft.source)).toBe(replaceComponents(domain.seedHarness, changed));
      expect(draft.source.startsWith(`// candidate of the harness search\n// parent: ${first.harnessId}\n`)).toBe(true);
    }
  });

  it('B1: candidates of a batch explore different slots, but every third', async () => {
    const [one, two, three] = (await propose(request([first]))).drafts.map(slotsOf);
    expect(two?.filter((slot) => one?.includes(slot))).toEqual([]);
    expect([one, two]).not.toContainEqual(three);
  });

  it('says what it changes, why, by which numbers, and what would refute it', async () => {
    const [draft] = (await propose(request([first]))).drafts;
    expect(draft?.changes.every((change) => /^slot\d: v0 → v\d$/u.test(change))).toBe(true);
    const failures = first.tasks.filter((task) => task.outcome !== 'correct').length;
    expect(draft?.hypothesis).toMatch(/^v\d of slot\d raises \w+\./u);
    expect(draft?.hypothesis).toMatch(new RegExp(`\\d+ of ${failures} failures of the parent lack \\w+\\.`, 'u'));
    expect(draft?.hypothesis).toMatch(/Untried under w1: slot\d:v\d/u);
    expect(draft?.hypothesis).toContain(`refuted unless more than the parent's ${40 - failures} of 40`);
  });

  it('aims at what the failures of the incumbent lack', async () => {
    const tasks = first.tasks.map((task) => ({
      ...task,
      diagnostics: { retrieval: true, extraction: task.outcome === 'correct', format: true },
    }));
    const { drafts } = await propose(request([{ ...first, tasks }], { count: 1 }));
    // The slots that aim at extraction are every third from the second.
    expect(slotsOf(drafts[0] as Draft)).toEqual(expect.arrayContaining(['slot1', 'slot4']));
  });

  it('builds on what was measured better and leaves what was measured worse', async () => {
    const scored = (source: string, score: number): ArchiveEntry => ({
      ...world.measure(source, at),
      score,
      tasks: first.tasks,
    });
    const h0 = domain.seedHarness;
    const archive = [
      scored(h0, 0.3),
      scored(swap(h0, 'slot0:v1'), 0.7),
      scored(swap(h0, 'slot1:v1'), 0.05),
      scored(swap(h0, 'slot2:v1'), 0.65),
    ];
    const { drafts } = await propose(request(archive));
    const has = (draft: Draft, part: string) => draft.source.includes(part);
    for (const draft of drafts) {
      expect(has(draft, "slot0 = 'v1'") || has(draft, "slot2 = 'v1'")).toBe(true);
      expect(has(draft, "slot1 = 'v1'")).toBe(false);
    }
    expect(drafts.some((draft) => has(draft, "slot0 = 'v1'") && has(draft, "slot2 = 'v1'"))).toBe(true);
    expect(drafts.map((draft) => draft.hypothesis).join()).toMatch(
      /slot2:v1 scored 0\.650 in 1 harness, \+0\.300 against 3 harnesses without it/u,
    );
  });

  it('takes regions that grew in the archive, and exchanges them like those of the domain', async () => {
    const grown = swap(domain.seedHarness, 'slot3:invented', 'slot5:v2');
    const archive = [first, { ...world.measure(grown, at), score: 0.9 }];
    const input = request(archive, { incumbent: { id: first.harnessId, source: first.source }, count: 6 });
    const { drafts } = await propose(input);
    expect(drafts.some((draft) => draft.source.includes("slot3 = 'invented'"))).toBe(true);
  });

  it('proposes a harness of an earlier θ again under its old id', async () => {
    const veteran = swap(domain.seedHarness, 'slot0:v1', 'slot1:v2', 'slot2:v3');
    const before = { ...at, weightsVersion: 'w0' };
    const archive = [{ ...first, ...before, score: 0.2 }, { ...world.measure(veteran, before), score: 0.95 }, first];
    const { drafts } = await propose(request(archive, { incumbent: { id: first.harnessId, source: first.source } }));
    const again = drafts.find((draft) => sha256(draft.source) === sha256(veteran));
    expect(again?.hypothesis).toContain('was measured under earlier weights only');
    expect(again?.parent).toBe(first.harnessId);
  });

  it('replaces rejected drafts and leaves out the variant that was to blame', async () => {
    const input = request([first], { count: 1 });
    const [draft] = (await propose(input)).drafts as [Draft];
    const [slot = '', , , variant = ''] = (draft.changes[0] ?? '').split(/: | /u);
    const bad = `${slot} = '${draft.changes[0]?.split(' → ')[1]}'`;
    expect(variant).not.toBe('');
    const replaced = await propose({ ...input, count: 5 }, ({ source }) => {
      const at = source.split('\n').findIndex((text) => text.includes(bad));
      return at < 0 ? null : { stage: 'parse', message: 'no', line: at + 1 };
    });
    const rejected = replaced.judged.filter(({ rejection }) => rejection !== null);
    // It stands in each draft of the first plan that has it, and in none of those that replace them.
    expect(rejected.length).toBeGreaterThan(0);
    expect(replaced.judged.slice(0, 5)).toEqual(expect.arrayContaining(rejected));
    expect(replaced.judged.length).toBe(5 + rejected.length);
    expect(new Set(replaced.drafts.map(({ source }) => program(source).join())).size).toBe(replaced.drafts.length);
  });

  it('says when the space is exhausted, and has written all of it by then', async () => {
    const small = syntheticDomain({ seed: 'small', slots: 2, variants: 2 });
    const start = small.measure(small.domain.seedHarness, at);
    const all = await propose({ ...request([start]), domain: small.domain, count: 10 });
    expect(all.drafts).toHaveLength(3);
    expect(all.end).toMatch(/^every combination of variants in the regions of the incumbent has been scored under w1/u);
    const archive = [start, ...all.drafts.map(({ source }) => small.measure(source, at))];
    expect((await propose({ ...request(archive), domain: small.domain })).drafts).toEqual([]);
  });

  it('goes on from h₀ where the incumbent has no regions', async () => {
    const foreign = world.measure('export const PROMPTS = {};\n', at);
    const { drafts } = await propose(request([{ ...foreign, score: 1 }]));
    expect(drafts).toHaveLength(3);
    expect(drafts.map((draft) => draft.parent)).toEqual(Array(3).fill(sha256(domain.seedHarness)));
  });

  it('stops when told, and keeps what it has written', async () => {
    const abort = new AbortController();
    const generator = new Recombine().propose(request([first]), bareSession(abort.signal));
    expect((await generator.next()).done).toBe(false);
    abort.abort(new Error('stopped'));
    await expect(generator.next()).rejects.toThrow('stopped');
  });
});
