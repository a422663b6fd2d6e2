import type { PairResult } from '@whale/contracts';
import { phaseGains, provisionalResult, type ExperimentView } from '@whale/experiment-view';
import type { Paint } from './paint.ts';
import { searchText } from './search.ts';
import { table } from './table.ts';
import { accuracy, count, duration, endReason, oneLine, percent, plural, points, shortId } from './text.ts';

/** The result of an experiment for a person: one sentence, then the tables it rests on. */
export function resultText(view: ExperimentView, paint: Paint): string {
  const { base, best } = provisionalResult(view);
  const sections = [
    paint.bold(headline(view)),
    pairTable(view),
    phaseTable(view),
    searchText(view),
    ledgerText(view),
    base && best ? 'Accuracies: mean over n rollouts [95% Wilson interval, for rollouts on these tasks].' : '',
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

export function headline(view: ExperimentView): string {
  const { base, best } = provisionalResult(view);
  if (!base || !best) return `The experiment ${stateOf(view)}; no pair has been measured on the test split.`;
  const so = view.result ? '' : 'so far ';
  const [from, to] = [percent(base.test.mean), percent(best.test.mean)];
  if (best.weights === base.weights && best.harness === base.harness) {
    return `Test accuracy stays at ${from}: ${so}no other pair did better on ${best.chosenOn === 'validation' ? 'validation' : 'test'}.`;
  }
  const apart = best.test.low > base.test.high || best.test.high < base.test.low;
  const sure = apart ? 'the 95% intervals lie apart' : 'the 95% intervals overlap, so it may be chance';
  if (best.test.mean > base.test.mean) return `Test accuracy ${so}rose from ${from} to ${to} (${sure}).`;
  if (best.test.mean < base.test.mean) return `Test accuracy ${so}fell from ${from} to ${to} (${sure}).`;
  return `Test accuracy ${so}stayed at ${from}.`;
}

function stateOf(view: ExperimentView): string {
  switch (view.status) {
    case 'failed':
      return `failed (${oneLine(view.reason ?? '')})`;
    case 'cancelled':
      return `was cancelled (${oneLine(view.reason ?? '')})`;
    case 'completed':
      return 'is over';
    default:
      return 'has not got that far';
  }
}

export function pairLabel(pair: PairResult): string {
  switch (pair.chosenOn) {
    case 'base':
      return '(θ₀, h₀)';
    case 'validation':
      return 'best pair, chosen on validation';
    case 'last':
      return 'last pair (no validation split)';
    case 'test':
      return 'best on test (chosen on test: optimistic)';
    default:
      return pair.chosenOn satisfies never;
  }
}

/** Fits 80 columns, so that a newcomer's terminal does not break it. */
function pairTable(view: ExperimentView): string {
  const { base, best, bestOnTest } = provisionalResult(view);
  const rows = [base, best, bestOnTest].flatMap((pair) =>
    pair
      ? [[SHORT[pair.chosenOn], pair.weights, shortId(pair.harness), accuracy(pair.test), accuracy(pair.validation)]]
      : [],
  );
  if (rows.length === 0) return '';
  const how =
    best?.chosenOn === 'validation' ? 'Best pair: chosen on validation.' : 'Last pair: there is no validation split.';
  return `${table(['pair', 'θ', 'h', 'test', 'validation'], rows)}\n${how} Best on test: chosen on test itself, so optimistic.`;
}

const SHORT: Readonly<Record<PairResult['chosenOn'], string>> = {
  base: '(θ₀, h₀)',
  validation: 'best pair',
  last: 'last pair',
  test: 'best on test',
};

function phaseTable(view: ExperimentView): string {
  // With fixed budgets every phase ends the same way: the column would say nothing.
  const telling = view.phases.some((phase) => phase.endReason !== 'fixed');
  const rows = phaseGains(view).map(({ phase, before, after, brought }) => [
    `${phase.cycle} ${phase.kind}`,
    phase.kind === 'weight'
      ? `${plural(phase.steps.length, 'step')}, ${phase.epochs.toFixed(2)} epochs`
      : `${phase.candidates} candidates in ${phase.iterations}`,
    count(phase.rollouts),
    before && after ? `${percent(before.mean)} → ${percent(after.mean)}` : '–',
    points(brought),
    ...(telling ? [endReason(phase.endReason, phase.signal)] : []),
  ]);
  if (rows.length === 0) return '';
  const head = ['phase', 'made', 'rollouts', 'test', 'brought (points)', ...(telling ? ['ended by'] : [])];
  return table(head, rows, ['left', 'left', 'right']);
}

export function ledgerText({ ledger }: ExperimentView): string {
  const { rollouts, tokens, proposer, seconds, errors, rolloutsPerSecond } = ledger;
  const lines = [
    `rollouts  ${count(rollouts.weight)} weight, ${count(rollouts.harness)} harness, ${count(rollouts.evaluation)} evaluation; ${rolloutsPerSecond.toFixed(0)}/s overall`,
    `tokens    ${count(tokens.sampled)} sampled, ${count(tokens.trained)} trained`,
    `proposer  ${plural(proposer.calls, 'call')}${proposer.tokens > 0 ? `, ${count(proposer.tokens)} tokens, $${proposer.usd.toFixed(2)}` : ''}`,
    `time      ${duration(seconds.total)}: weight phases ${duration(seconds.weight)}, harness phases ${duration(seconds.harness)}, evaluation ${duration(seconds.evaluation)}`,
  ];
  if (errors > 0) lines.push(`errors    ${plural(errors, 'failed attempt')} of a rollout, made again or left out`);
  return lines.join('\n');
}
