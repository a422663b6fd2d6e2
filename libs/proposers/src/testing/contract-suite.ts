import type { HarnessScored, ProposerSpec } from '@whale/contracts';
import { withVariant, type Domain } from '@whale/domain-api';
import { sha256 } from '@whale/kernel';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ArchiveEntry, Draft, ProposalRequest, Proposer, Rejection } from '../proposer.ts';
import { drive, type Driven } from './drive.ts';
import { RecordedSession, type RecordedSessionOptions } from './recorded-session.ts';

export interface ProposerContractInput {
  name: string;
  spec: ProposerSpec;
  /** A fresh one for each session. */
  proposer: () => Proposer;
  domain: () => Domain | Promise<Domain>;
  /** The problems of a candidate's source, e.g. by the sandbox's check; [] when there are none. */
  checkHarness: (source: string, domain: Domain) => Promise<readonly string[]>;
  /** What stands in the workspace for a request, for a proposer that reads it. */
  workspace?: (request: ProposalRequest) => RecordedSessionOptions['files'];
  /** False where the same request may give other drafts, e.g. those of a language model. */
  deterministic?: boolean;
}

const COUNT = 2;

/** The promises of `Proposer`, as tests. Call it in a test file, with the proposer as it is wired. */
export function proposerContract(input: ProposerContractInput): void {
  const { name, spec, proposer, checkHarness, workspace = () => ({}), deterministic = true } = input;

  describe(`proposer contract: ${name}`, () => {
    let domain: Domain;
    let request: ProposalRequest;
    beforeAll(async () => {
      domain = await input.domain();
      request = contractRequest(domain, spec);
    });

    const opened = (options: Omit<RecordedSessionOptions, 'files'> = {}): RecordedSession => {
      const session = new RecordedSession({ ...options, files: workspace(request) });
      onTestFinished(() => session.remove());
      return session;
    };
    const propose = (
      judge?: (draft: Draft) => Rejection | null,
      session = opened(),
      asked = request,
    ): Promise<Driven> => drive(proposer(), asked, judge, session);
    /** Rejects the first draft, whichever it is, and that one alone. */
    const rejectFirst = () => {
      let first: string | undefined;
      return ({ source }: Draft) => (source === (first ??= source) ? refusal(source) : null);
    };

    it('writes complete programs with a known parent, a hypothesis and what it changes', async () => {
      const { drafts } = await propose();
      expect(drafts).toHaveLength(COUNT);
      const parents = new Map(request.archive.map(({ harnessId, source }) => [harnessId, source]));
      for (const draft of drafts) {
        expect([...parents.keys()]).toContain(draft.parent);
        expect(draft.source).not.toBe(parents.get(draft.parent));
        expect(draft.hypothesis.trim().length).toBeGreaterThan(20);
        expect(draft.changes.length).toBeGreaterThan(0);
        expect(await checkHarness(draft.source, domain)).toEqual([]);
      }
    });

    it('writes no text twice, and none that has a score', async () => {
      const { judged } = await propose(rejectFirst());
      const ids = judged.map(({ draft }) => sha256(draft.source));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => request.known.has(id))).toEqual([]);
    });

    it('replaces what is rejected, or says why it cannot', async () => {
      const { judged, end } = await propose(rejectFirst());
      const valid = judged.filter(({ rejection }) => rejection === null).length;
      if (valid < COUNT) expect(end).toBeTruthy();
      else expect(judged).toHaveLength(COUNT + 1);
    });

    it('ends when everything is rejected, or goes on as long as it is let', async () => {
      const most = 4 * COUNT;
      const drafts = proposer().propose(request, opened());
      let next = await drafts.next();
      for (let written = 1; next.done !== true && written < most; written++) {
        next = await drafts.next(refusal(next.value.source));
      }
      expect((await drafts.return()).done).toBe(true);
    });

    it('ends when the host has enough', async () => {
      const drafts = proposer().propose({ ...request, count: 1 }, opened());
      expect((await drafts.next()).done).toBe(false);
      await drafts.return();
      expect(await drafts.next(null)).toEqual({ done: true, value: undefined });
    });

    it('writes nothing more once its signal has aborted', async () => {
      const abort = new AbortController();
      const drafts = proposer().propose(request, opened({ signal: abort.signal }));
      expect((await drafts.next()).done).toBe(false);
      abort.abort(new Error('stopped'));
      await expect(drafts.next(refusal(''))).rejects.toThrow('stopped');
      await expect(propose(undefined, opened({ signal: abort.signal }))).rejects.toThrow('stopped');
    });

    it('leaves the request as it is', async () => {
      const known = [...request.known];
      await propose(undefined, opened(), deepFrozen({ ...request }, domain));
      expect([...request.known]).toEqual(known);
    });

    it.runIf(deterministic)('writes the same for the same request, also beside another session', async () => {
      const [once, twice] = await Promise.all([propose(rejectFirst()), propose(rejectFirst())]);
      expect(twice).toEqual(once);
      expect(await propose(rejectFirst())).toEqual(once);
    });

    it('repeats nothing that is on record when it goes on after a kill', async () => {
      const once = opened();
      const whole = await propose(rejectFirst(), once);
      const again = opened({ journal: once.recorded, judged: whole.judged });
      const verdicts = new Map(whole.judged.map(({ draft, rejection }) => [draft.source, rejection]));
      const resumed = await propose(({ source }) => verdicts.get(source) ?? null, again);
      expect(again.recorded).toEqual(once.recorded);
      for (const { source } of resumed.drafts) expect([...verdicts.keys()]).toContain(source);
    });

    it('goes on from wherever it was killed', async () => {
      const once = opened();
      const whole = await propose(undefined, once);
      for (let known = 0; known < once.recorded.length; known++) {
        const journal = once.recorded.slice(0, known);
        const again = opened({ journal });
        const resumed = await propose(undefined, again);
        expect(again.recorded.slice(0, known)).toEqual(journal);
        expect(resumed.drafts).toHaveLength(whole.drafts.length);
      }
    });
  });
}

/** Every request of the suite: h₀ and two exchanges of one region each, on eight tasks under w1. */
export function contractRequest(domain: Domain, proposer: ProposerSpec): ProposalRequest {
  const exchanged = domain.components.map((variant) => withVariant(domain.seedHarness, variant));
  const others = [...new Set(exchanged)].filter((source) => source !== domain.seedHarness);
  const sources = [domain.seedHarness, ...others.slice(0, 1), ...others.slice(-1)];
  const archive = sources.map((source, index) => measured(domain, source, index));
  const incumbent = archive[1] as ArchiveEntry;
  return {
    experimentId: 'exp-1',
    iterationId: 'iteration-2',
    attempt: 1,
    cycle: 1,
    iteration: 2,
    proposer,
    domain,
    incumbent: { id: incumbent.harnessId, source: incumbent.source },
    weightsVersion: 'w1',
    archive,
    count: COUNT,
    promptsOnly: false,
    seed: 'contract/1',
    known: new Set(archive.map(({ harnessId }) => harnessId)),
  };
}

/** The second scores best. */
function measured(domain: Domain, source: string, index: number): ArchiveEntry {
  const tasks = domain.tasks('harness').slice(0, 8);
  const correct = [2, 4, 1][index] ?? 0;
  const results = tasks.map(({ id }, i): HarnessScored['data']['tasks'][number] => ({
    taskId: id,
    rolloutId: `rollout-${index}-${i}`,
    outcome: i < correct ? 'correct' : 'incorrect',
    diagnostics: {},
  }));
  return {
    harnessId: sha256(source),
    source,
    weightsVersion: 'w1',
    cycle: 1,
    iteration: index === 0 ? 0 : 1,
    index: Math.max(0, index - 1),
    score: correct / tasks.length,
    measured: tasks.length,
    tasks: results,
  };
}

function refusal(source: string): Rejection {
  return { stage: 'smoke', message: `refused: ${sha256(source).slice(0, 8)}`, line: null };
}

/** Frozen through and through but for `except`, which is not ours to freeze. */
function deepFrozen<T>(value: T, except: unknown): T {
  if (typeof value !== 'object' || value === null || value === except || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner, except);
  return Object.freeze(value);
}
