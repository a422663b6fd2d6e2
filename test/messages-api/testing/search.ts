import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProposerSpec, type CandidatesRequested, type RolloutCompleted } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { HarnessChecker } from '@whale/harness-sandbox';
import { sha256, type JsonValue } from '@whale/kernel';
import {
  Claude,
  type Draft,
  type JournalEntry,
  type ProposalSession,
  type Rejection,
  type SessionEnd,
  type Trial,
} from '@whale/proposers';
import { smokeRuns } from '../../../apps/proposer/src/pipeline/smoke-runs.ts';
import { FolderWriter } from '../../../libs/proposers/src/workspace/folder-writer.ts';
import type { Measurement } from '../../../libs/proposers/src/workspace/measurement.ts';
import { sealed } from '../../../libs/proposers/src/workspace/sealed-domain.ts';
import type { HistoryEntry, WorkspaceHarness, WorkspaceView } from '../../../libs/proposers/src/workspace/view.ts';
import { writeView } from '../../../libs/proposers/src/workspace/write-view.ts';
import { TEST_KEY } from '../server.ts';
import { completed, rollOut } from './rollouts.ts';

export interface SearchOptions {
  domain: Domain;
  /** Of the server that speaks for the model. */
  url: string;
  /** Of D_harness. */
  tasks: number;
  /** M */
  count: number;
  promptsOnly?: boolean;
  checker: HarnessChecker;
}

export interface IterationResult {
  /** All that were written, in order. */
  written: { draft: Draft; rejection: Rejection | null }[];
  /** What the journal of the session has. */
  journal: JournalEntry[];
  /** Null where the host ended the session, as the batch was full. */
  end: SessionEnd | null;
  incumbent: { id: string; score: number };
}

const WEIGHTS = 'w1';

/** A harness search under fixed weights of a scripted model: real tools, real workspace, real check, real client. */
export class Search {
  readonly #options: SearchOptions;
  readonly #sources = new Map<string, string>();
  readonly #rollouts: RolloutCompleted['data'][] = [];
  readonly #harnesses: WorkspaceHarness[] = [];
  readonly #history: HistoryEntry[] = [];
  #incumbent = '';

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Measures h₀: the phase begins. */
  async start(): Promise<number> {
    const { seedHarness } = this.#options.domain;
    this.#incumbent = sha256(seedHarness);
    return (await this.#measure(seedHarness, { iteration: 0, index: 0 }, [])).score ?? 0;
  }

  async iterate(iteration: number): Promise<IterationResult> {
    const request = this.#request(iteration);
    const folder = await mkdtemp(join(tmpdir(), 'whale-search-'));
    try {
      await this.#writeWorkspace(request, folder);
      const { written, journal, end } = await this.#propose(request, folder);
      await this.#take(request, written);
      return { written, journal, end, incumbent: { id: this.#incumbent, score: this.#scoreOf(this.#incumbent) } };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Share of other tasks that the incumbent answers. */
  async test(tasks: number): Promise<number> {
    const { domain } = this.#options;
    const source = this.#sources.get(this.#incumbent) ?? domain.seedHarness;
    let correct = 0;
    for (const task of domain.tasks('test').slice(0, tasks)) {
      correct += (await rollOut(domain, source, task, `test/${task.id}`)).verdict.reward;
    }
    return correct / tasks;
  }

  #request(iteration: number): CandidatesRequested['data'] {
    const { url, count, promptsOnly = false } = this.#options;
    const proposer = ProposerSpec.parse({
      kind: 'claude',
      model: 'claude-sonnet-4-6',
      baseUrl: url,
      prices: { input: 3, output: 15 },
    });
    return {
      experimentId: 'search',
      iterationId: `iteration-${iteration}`,
      attempt: 1,
      cycle: 1,
      iteration,
      weights: { version: WEIGHTS, uri: 'blob:none', sha256: sha256(WEIGHTS), bytes: 0 },
      incumbent: refOf(this.#incumbent),
      domain: { name: 'search-qa', dataset: 'atlas', options: {} },
      proposer,
      count,
      promptsOnly,
      archive: [],
      seed: `seed/${iteration}`,
      final: true,
    };
  }

  async #writeWorkspace(request: CandidatesRequested['data'], folder: string): Promise<void> {
    const { domain } = this.#options;
    const view: WorkspaceView = {
      experimentId: 'search',
      request,
      weights: WEIGHTS,
      incumbent: this.#incumbent,
      tasks: this.#tasks().map(({ id }) => id),
      harnesses: this.#harnesses,
      history: this.#history,
    };
    const rollouts = this.#rollouts;
    const parts = {
      domain: sealed(domain),
      source: async (id: string) => this.#sources.get(id) ?? '',
      rollouts: async function* (wanted: ReadonlySet<string>) {
        yield* rollouts.filter(({ rolloutId }) => wanted.has(rolloutId));
      },
    };
    await writeView(view, parts, new FolderWriter(folder));
  }

  async #propose(request: CandidatesRequested['data'], folder: string) {
    const { domain, count } = this.#options;
    const written: IterationResult['written'] = [];
    const journal: JournalEntry[] = [];
    const session: ProposalSession = {
      signal: new AbortController().signal,
      journal: [],
      judged: [],
      workspace: async () => folder,
      check: (draft) => this.#judge(draft, written),
      tryOut: (source, ids) => this.#tryOut(source, ids),
      record: async (entry) => void journal.push(entry),
    };
    const { experimentId, iterationId, attempt, cycle, iteration, proposer, promptsOnly, seed } = request;
    const source = this.#sources.get(this.#incumbent) ?? '';
    const drafts = new Claude({ apiKey: () => TEST_KEY, backoffMilliseconds: 5 }).propose(
      {
        ...{ experimentId, iterationId, attempt, cycle, iteration, proposer, count, promptsOnly, seed, domain },
        incumbent: { id: this.#incumbent, source },
        weightsVersion: WEIGHTS,
        archive: this.#harnesses.flatMap(({ measurements }) => measurements.map((one) => this.#entryOf(one))),
        known: new Set(this.#sources.keys()),
      },
      session,
    );
    let next = await drafts.next();
    while (next.done !== true && written.filter(({ rejection }) => rejection === null).length < count) {
      const rejection = await this.#judge(next.value, written);
      written.push({ draft: next.value, rejection });
      next = await drafts.next(rejection);
    }
    return { written, journal, end: next.done === true && typeof next.value === 'object' ? next.value : null };
  }

  async #judge({ source }: Draft, written: IterationResult['written']): Promise<Rejection | null> {
    const { domain, checker } = this.#options;
    const id = sha256(source);
    if (
      this.#sources.has(id) ||
      written.some(({ draft, rejection }) => rejection === null && draft.source === source)
    ) {
      return { stage: 'duplicate', message: 'it has a score already', line: null };
    }
    const result = await checker.check(source, { domainTypes: domain.harnessTypes, smoke: smokeRuns(domain) });
    return result.ok ? null : { stage: result.stage, message: result.message, line: result.line ?? null };
  }

  async #tryOut(source: string, ids: readonly string[]): Promise<Trial[]> {
    const tasks = this.#tasks().filter(({ id }) => ids.includes(id));
    return Promise.all(
      tasks.map(async (task) => {
        const { effects, end } = await rollOut(this.#options.domain, source, task, `try/${task.id}`);
        const tried = effects.map(({ effect, result }) => {
          return {
            effect: effect as JsonValue,
            result,
            from: effect.type === 'tool' ? ('tool' as const) : ('recorded' as const),
          };
        });
        return { taskId: task.id, effects: tried, end: end as JsonValue };
      }),
    );
  }

  /** Measures what is valid; the best of all becomes the incumbent. */
  async #take(request: CandidatesRequested['data'], written: IterationResult['written']): Promise<void> {
    const valid = written.filter(({ rejection }) => rejection === null).map(({ draft }) => draft);
    const proposals = valid.map((draft, index) => {
      const { parent, hypothesis, changes, source } = draft;
      const { iterationId } = request;
      const harness = refOf(sha256(source));
      return { experimentId: 'search', iterationId, index, of: valid.length, harness, parent, hypothesis, changes };
    });
    const setbacks = written.flatMap(({ draft, rejection }, place) => {
      if (rejection === null) return [];
      const { source, parent, hypothesis } = draft;
      const at = { experimentId: 'search', iterationId: request.iterationId, number: place + 1 };
      return [{ kind: 'rejected' as const, data: { ...at, source, parent, hypothesis, ...rejection } }];
    });
    this.#history.push({ kind: 'requested', data: request, setbacks, proposals });
    const { cycle, iteration } = request;
    for (const [index, { source }] of valid.entries()) {
      const proposed = proposals.slice(index, index + 1).map((proposal) => ({ ...proposal, cycle, iteration }));
      const { score, harnessId } = await this.#measure(source, { iteration, index }, proposed);
      if ((score ?? 0) > this.#scoreOf(this.#incumbent)) this.#incumbent = harnessId;
    }
  }

  async #measure(
    source: string,
    place: { iteration: number; index: number },
    proposals: WorkspaceHarness['proposals'],
  ): Promise<Measurement> {
    const { domain } = this.#options;
    const id = sha256(source);
    this.#sources.set(id, source);
    const evaluationId = `evaluation-${id.slice(0, 8)}`;
    const tasks: Measurement['tasks'][number][] = [];
    for (const { id: taskId } of this.#tasks()) {
      const task = domain.task(taskId);
      if (task === undefined) continue;
      const rolloutId = `rollout-${id.slice(0, 8)}-${taskId}`;
      const rollout = await rollOut(domain, source, task, `${id}/${taskId}`);
      const group = { id: evaluationId, purpose: 'harness' as const };
      this.#rollouts.push(completed(rollout, { rolloutId, harnessId: id, taskId, weightsVersion: WEIGHTS, group }));
      const { reward, diagnostics } = rollout.verdict;
      const failed = rollout.end.kind === 'truncated' ? 'truncated' : 'incorrect';
      tasks.push({ taskId, rolloutId, outcome: reward === 1 ? 'correct' : failed, diagnostics });
    }
    const correct = tasks.filter(({ outcome }) => outcome === 'correct').length;
    const measurement: Measurement = {
      ...{ evaluationId, phaseId: 'phase', harnessId: id, weights: WEIGHTS, cycle: 1, ...place },
      ...{ correct, measured: tasks.length, score: correct / tasks.length, tasks, accepted: null },
    };
    this.#harnesses.push({ id, folder: id.slice(0, 12), ref: refOf(id), proposals, measurements: [measurement] });
    return measurement;
  }

  #tasks() {
    return this.#options.domain.tasks('harness').slice(0, this.#options.tasks);
  }

  #scoreOf(id: string): number {
    return this.#harnesses.find((harness) => harness.id === id)?.measurements[0]?.score ?? 0;
  }

  #entryOf({ harnessId, cycle, iteration, index, score, measured, tasks }: Measurement) {
    const source = this.#sources.get(harnessId) ?? '';
    return { harnessId, source, weightsVersion: WEIGHTS, cycle, iteration, index, score, measured, tasks: [...tasks] };
  }
}

function refOf(id: string) {
  return { id, uri: `blob:sha256/${id}`, bytes: 0 };
}
