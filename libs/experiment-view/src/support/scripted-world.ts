import type {
  AnyEvent,
  CandidatesRequested,
  ExperimentStarted,
  HarnessRef,
  Outcome,
  ProposalStep,
  RolloutEnd,
  RolloutRequested,
  Segment,
  Spec,
  Split,
  WeightsRef,
  WeightUpdateRequested,
} from '@whale/contracts';
import { rng, sha256, type Rng } from '@whale/kernel';

/** How the scripted parts behave. All chances in [0, 1]. */
export interface Script {
  tasks: Record<Split, number>;
  /** Chance that (θ, h) solves a task: `updates` that changed the weights, `level` of the harness (0 for h₀). */
  skill: (pair: { updates: number; level: number; split: Split }) => number;
  /** Chance that a rollout's first attempt fails for infrastructure reasons. */
  infrastructure: number;
  /** Chance that a written candidate is refused by the check. */
  refused: number;
  /** Proposals tell of a call of the model and of their end, as of a model in a tool loop. */
  audited: boolean;
  /** Text of the question and of what the model writes; for hostile texts. */
  question: (taskId: string) => string;
  hypothesis: (number: number) => string;
}

const DEFAULT: Script = {
  tasks: { weight: 12, harness: 10, validation: 8, test: 12 },
  skill: ({ updates, level }) => Math.min(0.95, 0.2 + 0.05 * updates + 0.12 * level),
  infrastructure: 0.02,
  refused: 0.2,
  audited: false,
  question: (taskId) => `Who was the mayor of the home town of ${taskId}?`,
  hypothesis: (number) => `Asking for ${number + 2} documents lets the model see the answer more often`,
};

/** Answers for rollout, verifier, trainer-gateway and proposer, from a seed. */
export class ScriptedWorld {
  readonly #experimentId: string;
  readonly #spec: Spec;
  readonly #script: Script;
  readonly #levels = new Map<string, number>();
  readonly #groupSplits = new Map<string, Split>();
  readonly sources = new Map<string, string>();
  readonly #seed: HarnessRef;
  #written = 0;

  constructor(experimentId: string, spec: Spec, script: Partial<Script> = {}) {
    this.#experimentId = experimentId;
    this.#spec = spec;
    this.#script = { ...DEFAULT, ...script };
    this.#seed = this.#harness('// h0\nexport const PROMPTS = { system: "Search, then answer." };\n', 0);
  }

  started(): ExperimentStarted {
    const ids = (split: Split) =>
      Array.from({ length: this.#script.tasks[split] }, (_, i) => `${split}-${String(i + 1).padStart(3, '0')}`);
    return {
      type: 'whale.experiment.started.v1',
      data: {
        experimentId: this.#experimentId,
        spec: this.#spec,
        weights: weightsRef(0),
        harness: this.#seed,
        splits: { weight: ids('weight'), harness: ids('harness'), validation: ids('validation'), test: ids('test') },
      },
    };
  }

  /** What the other services say in answer to an event. */
  answers(event: AnyEvent): AnyEvent[] {
    switch (event.type) {
      case 'whale.weight-step.opened.v1':
        this.#groupSplits.set(event.data.stepId, 'weight');
        return [];
      case 'whale.evaluation.opened.v1':
        this.#groupSplits.set(event.data.evaluationId, event.data.split);
        return [];
      case 'whale.rollout.requested.v1':
        return this.#rollout(event.data);
      case 'whale.weight-update.requested.v1':
        return [this.#update(event.data)];
      case 'whale.candidates.requested.v2':
        return this.#candidates(event.data);
      default:
        return [];
    }
  }

  #rollout(request: RolloutRequested['data']): AnyEvent[] {
    const { experimentId, rolloutId, group, weights, harness, domain, taskId, sampleIndex, attempt, final } = request;
    const random = rng(`scripted/${request.seed}/${attempt}`);
    if (random.float() < this.#script.infrastructure) {
      const error = { code: 'SCRIPTED', message: 'the policy was not there', retryable: true };
      const data = { experimentId, rolloutId, attempt, final, group, taskId, sampleIndex, error };
      return [{ type: 'whale.rollout.failed.v1', data }];
    }
    const split = this.#groupSplits.get(group.id) ?? 'weight';
    const updates = Number(weights.version.slice(1));
    const correct = random.float() < this.#script.skill({ updates, level: this.#levels.get(harness.id) ?? 0, split });
    const cutOff = !correct && random.float() < 0.2;
    const outcome: Outcome = correct ? 'correct' : cutOff ? 'truncated' : 'incorrect';
    const end: RolloutEnd = cutOff
      ? { kind: 'truncated', reason: 'turns' }
      : { kind: 'answered', answer: correct ? 'Dask' : 'Morv' };
    const tokens = { prompt: 60, sampled: 10 + random.int(10) };
    const pair = { weightsVersion: weights.version, harnessId: harness.id };
    const of = { experimentId, rolloutId, attempt, group, ...pair, taskId, sampleIndex };
    return [
      {
        type: 'whale.rollout.completed.v1',
        data: {
          ...of,
          domain,
          end,
          trajectory: this.#trajectory(taskId, correct),
          samples: [{ tokens: [1, 2, 3, 4], modelSpans: [[2, 2]] }],
          effects: [],
          tokens,
        },
      },
      {
        type: 'whale.rollout.verified.v1',
        data: { ...of, reward: correct ? 1 : 0, outcome, diagnostics: { retrieval: correct }, tokens },
      },
    ];
  }

  #trajectory(taskId: string, correct: boolean): Segment[] {
    const question = this.#script.question(taskId);
    return [
      { source: 'system', text: 'Search, then answer.' },
      { source: 'user', text: question },
      { source: 'model', text: `search: ${question}`, tokens: [3, 4] },
      { source: 'tool', text: correct ? '341: The mayor of Tarvel is Dask.' : '112: The mayor of Tarvel is Morv.' },
      { source: 'model', text: correct ? 'answer: Dask' : 'answer: Morv', tokens: [5, 6] },
    ];
  }

  #update({ experimentId, stepId, step, weights, accepted }: WeightUpdateRequested['data']): AnyEvent {
    const updates = Number(weights.version.slice(1));
    const changed = accepted.length > 0;
    return {
      type: 'whale.weights.updated.v2',
      data: {
        experimentId,
        stepId,
        step,
        previous: weights.version,
        weights: changed ? weightsRef(updates + 1) : weights,
        changed,
        optimizer: null,
        samples: accepted.length,
        batches: accepted.length,
        loss: changed ? 2 / (updates + 2) : null,
        tokens: { trained: 15 * accepted.length, processed: 75 * accepted.length },
      },
    };
  }

  #candidates(request: CandidatesRequested['data']): AnyEvent[] {
    const { experimentId, iterationId, count, incumbent, seed } = request;
    const random = rng(`scripted/${seed}`);
    const parentLevel = this.#levels.get(incumbent.id) ?? 0;
    const refused: AnyEvent[] = [];
    const written: { harness: HarnessRef; source: string; hypothesis: string; name: string }[] = [];
    for (let number = 1; written.length < count && number < 20; number++) {
      const name = `variant-${++this.#written}`;
      const hypothesis = this.#script.hypothesis(this.#written);
      const source = `// ${name}\nexport const PROMPTS = { system: "Search, then answer. ${name}" };\n`;
      if (random.float() < this.#script.refused) {
        const message = "Property 'serch' does not exist on type 'Tools'.";
        const place = { experimentId, iterationId, number, parent: incumbent.id };
        const data = { ...place, source, hypothesis, stage: 'types', message, line: 2 };
        refused.push({ type: 'whale.candidate.rejected.v1', data });
        continue;
      }
      const harness = this.#harness(source, parentLevel + random.int(3) - 0.5);
      written.push({ harness, source, hypothesis, name });
    }
    const proposed = written.map(({ harness, source, hypothesis, name }, index): AnyEvent => {
      const diff = `--- ${incumbent.id.slice(0, 8)}\n+++ ${harness.id.slice(0, 8)}\n@@ -1,1 +1,1 @@\n-// before\n+// ${name}\n`;
      const place = { experimentId, iterationId, index, of: written.length, parent: incumbent.id };
      const data = { ...place, harness, source, hypothesis, changes: [`prompts: ${name}`], diff };
      return { type: 'whale.harness.proposed.v1', data };
    });
    return [...(this.#script.audited ? audit(request, random) : []), ...refused, ...proposed];
  }

  #harness(source: string, level: number): HarnessRef {
    const id = sha256(source);
    this.#levels.set(id, level);
    this.sources.set(id, source);
    return { id, uri: `blob:sha256/${id}`, bytes: Buffer.byteLength(source) };
  }
}

function weightsRef(updates: number): WeightsRef {
  const hash = sha256(`scripted weights ${updates}`);
  return { version: `w${updates}`, uri: `blob:sha256/${hash}`, sha256: hash, bytes: 4 };
}

function audit({ experimentId, iterationId, attempt, count }: CandidatesRequested['data'], random: Rng): AnyEvent[] {
  const totals = { calls: 2 + random.int(6), tokens: 1_000 + random.int(9_000), usd: random.float(), bytesRead: 0 };
  const usage = { input: 900, output: 100, cacheWrite: 0, cacheRead: 0 };
  const hash = sha256(`reply ${iterationId}`);
  const content = { uri: `blob:sha256/${hash}`, sha256: hash, bytes: 4 };
  const steps: ProposalStep[] = [
    { kind: 'call', turn: 1, model: 'scripted', stopReason: 'end_turn', usage, usd: 0.01, content },
    { kind: 'ended', reason: 'finished', message: null, wanted: count, written: count, valid: count },
  ];
  return steps.map((step, i) => ({
    type: 'whale.proposal.audited.v1',
    data: { experimentId, iterationId, attempt, sequence: i + 1, proposer: 'claude', step, totals },
  }));
}
