import {
  parseSpec,
  type AnyEvent,
  type CandidatesRequested,
  type ErrorInfo,
  type ExperimentStarted,
  type HarnessRef,
  type Outcome,
  type ProposalStep,
  type RolloutRequested,
  type SpecInput,
  type WeightUpdateRequested,
  experimentIdOf,
} from '@whale/contracts';
import { rng, sha256, type Rng } from '@whale/kernel';

/** How the world behaves; every share is a probability. All of it follows from `seed` and the request alone. */
export interface WorldOptions {
  seed?: string;
  rolloutFailures?: number;
  verifierFailures?: number;
  updateFailures?: number;
  proposalFailures?: number;
  /** What a failed proposal says; one that may pass by default. */
  proposalError?: ErrorInfo;
  /** Share of proposals that are audited step by step, as of a model in a tool loop. */
  audits?: number;
  /** Overrides the number of valid candidates; with 0 the proposal fails. */
  candidates?: (request: CandidatesRequested['data']) => number;
  /** Overrides the outcome of a rollout; undefined leaves it to chance. */
  outcome?: (request: RolloutRequested['data']) => Outcome | undefined;
}

const error = (message: string): ErrorInfo => ({ code: 'SCRIPTED', message, retryable: true });

/** Rollout, verifier, trainer and proposer in one function: the answer to a request, the same each time it is asked. */
export function answer(event: AnyEvent, options: WorldOptions = {}): AnyEvent[] {
  const chance = (...scope: (string | number)[]): Rng => rng([options.seed ?? 'world', ...scope].join('/'));
  switch (event.type) {
    case 'whale.rollout.requested.v1':
      return [answerRollout(event.data, options, chance(event.data.rolloutId, event.data.attempt))];
    case 'whale.weight-update.requested.v1':
      return [answerUpdate(event.data, options, chance(event.data.stepId, event.data.attempt))];
    case 'whale.candidates.requested.v2': {
      const { iterationId, attempt } = event.data;
      return [
        ...answerAudit(event.data, options, chance(iterationId, attempt, 'audit')),
        ...answerProposal(event.data, options, chance(iterationId, attempt)),
      ];
    }
    default:
      return [];
  }
}

function answerRollout(request: RolloutRequested['data'], options: WorldOptions, random: Rng): AnyEvent {
  const { experimentId, rolloutId, attempt, final, group, weights, harness, taskId, sampleIndex } = request;
  const identity = { experimentId, rolloutId, attempt, group, taskId, sampleIndex };
  const tokens = { prompt: 20 + random.int(10), sampled: 5 + random.int(10) };
  const forced = options.outcome?.(request);
  if (forced === 'infrastructure_error' || random.float() < (options.rolloutFailures ?? 0)) {
    return { type: 'whale.rollout.failed.v1', data: { ...identity, final, error: error('no policy') } };
  }
  if (forced === 'verifier_error' || random.float() < (options.verifierFailures ?? 0)) {
    return { type: 'whale.verification.failed.v1', data: { ...identity, error: error('no judge'), tokens } };
  }
  // Better weights and some harnesses answer better.
  const skill = 0.2 + 0.1 * Number(weights.version.slice(1)) + Number.parseInt(harness.id.slice(0, 2), 16) / 1024;
  const outcome =
    forced ?? (random.float() < skill ? 'correct' : random.pick(['incorrect', 'truncated', 'harness_error'] as const));
  return {
    type: 'whale.rollout.verified.v1',
    data: {
      ...identity,
      weightsVersion: weights.version,
      harnessId: harness.id,
      reward: outcome === 'correct' ? 1 : 0,
      outcome,
      diagnostics: { format: random.float() < 0.9 },
      tokens,
    },
  };
}

function answerUpdate(request: WeightUpdateRequested['data'], options: WorldOptions, random: Rng): AnyEvent {
  const { experimentId, stepId, step, attempt, final, accepted, weights, produces } = request;
  if (random.float() < (options.updateFailures ?? 0)) {
    return {
      type: 'whale.weight-update.failed.v1',
      data: { experimentId, stepId, attempt, final, error: error('no trainer') },
    };
  }
  const changed = accepted.length > 0;
  return {
    type: 'whale.weights.updated.v2',
    data: {
      experimentId,
      stepId,
      step,
      previous: weights.version,
      weights: changed ? { ...blob(`${weights.sha256}+${accepted.join()}`), version: produces } : weights,
      changed,
      optimizer: changed ? blob(`optimizer/${produces}`) : request.optimizer,
      samples: accepted.length,
      batches: accepted.length,
      loss: changed ? 1 / step : null,
      tokens: { trained: 10 * accepted.length, processed: 40 * accepted.length },
    },
  };
}

/** A call of the model, and the end unless the attempt was cut off. */
function answerAudit(request: CandidatesRequested['data'], options: WorldOptions, random: Rng): AnyEvent[] {
  const { experimentId, iterationId, attempt, count } = request;
  if (random.float() >= (options.audits ?? 0)) return [];
  const totals = { calls: 1 + random.int(9), tokens: random.int(10_000), usd: random.float(), bytesRead: 7 };
  const usage = { input: 1, output: 1, cacheWrite: 0, cacheRead: 0 };
  const steps: ProposalStep[] = [
    {
      kind: 'call',
      turn: 1,
      model: 'scripted',
      stopReason: 'end_turn',
      usage,
      usd: 0.1,
      content: blob(`reply/${iterationId}/${attempt}`),
    },
    { kind: 'ended', reason: 'finished', message: null, wanted: count, written: count, valid: count },
  ];
  return steps.slice(0, random.float() < 0.2 ? 1 : 2).map((step, i) => ({
    type: 'whale.proposal.audited.v1',
    data: { experimentId, iterationId, attempt, sequence: i + 1, proposer: 'scripted', step, totals },
  }));
}

function answerProposal(request: CandidatesRequested['data'], options: WorldOptions, random: Rng): AnyEvent[] {
  const { experimentId, iterationId, attempt, final, incumbent, count } = request;
  const wanted = options.candidates?.(request);
  const told = options.proposalError;
  if (wanted === 0 || random.float() < (options.proposalFailures ?? 0)) {
    return [
      {
        type: 'whale.proposal.failed.v1',
        data: {
          experimentId,
          iterationId,
          attempt,
          final: final || told?.retryable === false,
          error: told ?? error('no idea'),
        },
      },
    ];
  }
  const of = wanted ?? 1 + random.int(count);
  return Array.from({ length: of }, (_, index) => {
    const source = `// candidate ${iterationId} ${index}`;
    return {
      type: 'whale.harness.proposed.v1',
      data: {
        experimentId,
        iterationId,
        index,
        of,
        harness: harnessRef(source),
        source,
        parent: incumbent.id,
        hypothesis: 'it answers better',
        changes: [],
        diff: '',
      },
    };
  });
}

function blob(text: string) {
  const hash = sha256(text);
  return { uri: `blob:sha256/${hash}`, sha256: hash, bytes: text.length };
}

function harnessRef(source: string): HarnessRef {
  const { uri, sha256: id, bytes } = blob(source);
  return { id, uri, bytes };
}

/** A small experiment: 20 tasks in D_weight, 5 in D_harness, 4 and 5 to measure on. */
export function started(
  overrides: Partial<SpecInput> & Pick<SpecInput, 'strategy'>,
  sizes: { weight?: number; harness?: number; validation?: number; test?: number } = {},
): ExperimentStarted {
  const spec = parseSpec(
    {
      name: 'scripted',
      domain: { name: 'scripted', dataset: 'none' },
      weight: { promptsPerStep: 4, rolloutsPerPrompt: 3 },
      harness: { candidates: 3 },
      evaluation: { rolloutsPerTask: 2, validationRolloutsPerTask: 2 },
      ...overrides,
    },
    'scripted.yaml',
  );
  const ids = (split: string, size: number) => Array.from({ length: size }, (_, i) => `${split}-${i}`);
  return {
    type: 'whale.experiment.started.v1',
    data: {
      experimentId: experimentIdOf(spec),
      spec,
      weights: { ...blob('θ0'), version: 'w0' },
      harness: harnessRef('// h0'),
      splits: {
        weight: ids('weight', sizes.weight ?? 20),
        harness: ids('harness', sizes.harness ?? 5),
        validation: ids('validation', sizes.validation ?? 4),
        test: ids('test', sizes.test ?? 5),
      },
    },
  };
}
