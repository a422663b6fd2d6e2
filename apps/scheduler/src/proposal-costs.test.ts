import type { HarnessProposed, ProposalAudited, ProposalFailed } from '@whale/contracts';
import { expect, test } from 'vitest';
import { ofType, replay, scriptedRun } from './support/scripted-run.ts';
import { started } from './support/scripted-world.ts';
import { strategies } from './support/strategies.ts';

const start = started({ strategy: { kind: 'harness-only', harness: { iterations: 1 } } });
/** All inputs up to the first proposal, and what it proposes. */
const whole = scriptedRun(start, { world: { seed: 'costs' } });
const proposed = ofType(whole.inputs, 'whale.harness.proposed.v1');
const [request] = ofType(whole.decided, 'whale.candidates.requested.v2');
const iterationId = request?.data.iterationId as string;
const { experimentId } = start.data;

function ended(attempt: number, totals: { calls: number; tokens: number; usd: number }): ProposalAudited {
  const step = { kind: 'ended', reason: 'finished', message: null, wanted: 3, written: 3, valid: 3 } as const;
  return {
    type: 'whale.proposal.audited.v1',
    data: {
      experimentId,
      iterationId,
      attempt,
      sequence: 9,
      proposer: 'claude',
      step,
      totals: { ...totals, bytesRead: 0 },
    },
  };
}
const failed = (attempt: number, final = false): ProposalFailed => ({
  type: 'whale.proposal.failed.v1',
  data: { experimentId, iterationId, attempt, final, error: { code: 'X', message: 'cut off', retryable: true } },
});

/** The ledger's line when this is heard of the proposer, all else as in the run. */
function ledgerAfter(...heard: (ProposalAudited | ProposalFailed | HarnessProposed)[]) {
  const at = whole.inputs.indexOf(proposed[0] as HarnessProposed);
  const others = whole.inputs.filter((input) => input.type !== 'whale.harness.proposed.v1');
  const late = replay([...others.slice(0, at), ...heard, ...others.slice(at)]);
  const early = replay([...heard, ...others]);
  expect(early.state).toEqual(late.state);
  expect(late.state.stage.at).toBe('ended');
  expect(ofType(late.decided, 'whale.experiment.ended.v1')[0]?.data.ledger).toEqual(late.state.ledger);
  return late.state.ledger.proposer;
}

test('L1: an attempt without an audit is one call', () => {
  expect(ledgerAfter(...proposed)).toEqual({ calls: 1, tokens: 0, usd: 0 });
});

test('L1: the end of an audited attempt says what it was', () => {
  const end = ended(1, { calls: 7, tokens: 9_000, usd: 0.25 });
  expect(ledgerAfter(end, ...proposed)).toEqual({ calls: 7, tokens: 9_000, usd: 0.25 });
  expect(ledgerAfter(end, end, ...proposed, end)).toEqual({ calls: 7, tokens: 9_000, usd: 0.25 });
  // A proposer that asks no model is asked itself.
  expect(ledgerAfter(ended(1, { calls: 0, tokens: 0, usd: 0 }), ...proposed).calls).toBe(1);
});

test('L1: a step that is not the end is no end', () => {
  const { type, data } = ended(1, { calls: 7, tokens: 9_000, usd: 0.25 });
  const step = { kind: 'call-lost', turn: 1, model: 'm', reason: 'cut', usd: 1 } as const;
  const usage = { input: 1, output: 1, cacheWrite: 0, cacheRead: 0 };
  const lost: ProposalAudited = { type, data: { ...data, step: { ...step, usage } } };
  expect(ledgerAfter(lost, ...proposed)).toEqual({ calls: 1, tokens: 0, usd: 0 });
});

test('L2: attempts add up, and one that never ended counts nothing more', () => {
  const one = ended(1, { calls: 3, tokens: 300, usd: 0.1 });
  const two = ended(2, { calls: 4, tokens: 400, usd: 0.2 });
  expect(ledgerAfter(one, failed(1), two, ...proposed)).toEqual({ calls: 7, tokens: 700, usd: 0.1 + 0.2 });
  expect(ledgerAfter(failed(1), two, ...proposed)).toEqual({ calls: 5, tokens: 400, usd: 0.2 });
  expect(ledgerAfter(one, failed(1), two, failed(2), failed(3, true))).toMatchObject({ calls: 8, tokens: 700 });
});

test('L2: what comes after the answer counts nothing, wherever it is heard', () => {
  const late = ended(1, { calls: 3, tokens: 300, usd: 0.1 });
  expect(ledgerAfter(failed(1), late, ...proposed)).toEqual({ calls: 2, tokens: 0, usd: 0 });
  expect(ledgerAfter(...proposed, late)).toEqual({ calls: 1, tokens: 0, usd: 0 });
  expect(ledgerAfter(failed(1), failed(2), failed(3, true), late)).toMatchObject({ calls: 3, tokens: 0 });
});

test('a whole run counts what its proposals told', () => {
  const run = scriptedRun(started({ strategy: strategies.fixed }), {
    world: { audits: 1, seed: 'all', proposalFailures: 0.3 },
  });
  const ends = ofType(run.inputs, 'whale.proposal.audited.v1').filter(({ data }) => data.step.kind === 'ended');
  const tokens = ends.reduce((sum, { data }) => sum + data.totals.tokens, 0);
  expect(tokens).toBeGreaterThan(0);
  expect(run.scheduler.ledger.proposer.tokens).toBe(tokens);
  expect(run.scheduler.facts).toEqual(replay([]).state.facts);
});
