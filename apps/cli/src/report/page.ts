import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { phaseGains, provisionalResult, type ExperimentView } from '@whale/experiment-view';
import { headline, pairLabel } from '../print/result.ts';
import { accuracy, count, duration, endReason, percent, plural, points, shortId } from '../print/text.ts';
import { acceptanceSection } from './acceptance-section.ts';
import { renderChart, type Chart } from './chart.ts';
import { accuracyChart, archiveChart, rewardChart } from './charts.ts';
import { HINT_SCRIPT } from './hints.ts';
import { Html, safe } from './html.ts';
import { harnessSection, searchTable } from './harness-section.ts';
import type { ReportMaterial } from './material.ts';
import { proposalSection } from './proposal-section.ts';
import { showcaseSection } from './showcase-section.ts';
import { STYLE } from './style.ts';

/** The whole report: one file without a reference to anything outside. Same events, same bytes. */
export function reportPage(material: ReportMaterial): string {
  const { view } = material;
  const hash = createHash('sha256').update(HINT_SCRIPT).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`;
  const page = safe`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${view.experimentId} · WHALE</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>
          ${header(view)} ${chartSection('Accuracy', accuracyChart(view), ACCURACY_TEXT)} ${phaseSection(view)}
          ${chartSection('Reward of the weight steps', rewardChart(view), REWARD_TEXT)}
          ${chartSection('Harness search', archiveChart(view), ARCHIVE_TEXT)} ${searchTable(view)}
          ${acceptanceSection(view)} ${proposalSection(material)}
          ${showcaseSection(material)} ${harnessSection(material)} ${ledgerSection(view)} ${specSection(view)}
        </main>
        ${new Html(`<script>${HINT_SCRIPT}</script>`)}
      </body>
    </html> `;
  return page.text;
}

const ACCURACY_TEXT =
  'Share of tasks solved by the pair of weights and harness, after each phase. Whiskers are 95% Wilson intervals for rollouts on these tasks. The base pair stands at 0; evaluation rollouts are not counted on the axis.';
const REWARD_TEXT =
  'Share of rollouts on training tasks that the verifier accepted, in each step. The accepted ones are what the step trains on.';
const ARCHIVE_TEXT =
  'Every harness that was measured, by iteration and by its score on the harness split. Lines lead from parent to candidate. Diamonds begin a phase, filled circles were accepted, dashed lines are the same harness measured again under new weights.';

function header(view: ExperimentView): Html {
  const { base, best } = provisionalResult(view);
  const { domain, strategy, policy } = view.spec ?? {};
  const { rollouts, seconds } = view.ledger;
  const gain = base && best ? best.test.mean - base.test.mean : null;
  const about = [
    view.experimentId,
    strategy?.kind,
    domain && `${domain.name}/${domain.dataset}`,
    policy && `policy ${policy.kind}`,
    view.status + (view.reason ? `: ${view.reason}` : ''),
  ];
  return safe`<header>
    <p class="muted">${about.filter(Boolean).join(' · ')}</p>
    <h1>${headline(view)}</h1>
    ${view.spec?.description ? safe`<p>${view.spec.description}</p>` : ''}
    <div class="cards">
      <div class="card"><b>${base ? percent(base.test.mean) : '–'}</b><span>test, base pair (θ₀, h₀)</span></div>
      <div class="card">
        <b>${best ? percent(best.test.mean) : '–'}</b
        ><span>test, best pair${best?.chosenOn === 'validation' ? ', chosen on validation' : ''}</span>
      </div>
      <div class="card">
        <b>${gain === null ? '–' : `${gain < 0 ? '−' : '+'}${Math.abs(100 * gain).toFixed(1)}`}</b
        ><span>percentage points</span>
      </div>
      <div class="card">
        <b>${count(rollouts.weight + rollouts.harness)}</b
        ><span>training rollouts, ${count(rollouts.evaluation)} for evaluation</span>
      </div>
      <div class="card"><b>${duration(seconds.total)}</b><span>from submission to result</span></div>
    </div>
  </header>`;
}

function chartSection(title: string, chart: Chart | null, text: string): Html {
  if (!chart) return safe``;
  return safe`<section>
    <h2>${title}</h2>
    <figure>
      <figcaption>${text}</figcaption>
      ${renderChart(chart)}
    </figure>
  </section>`;
}

function phaseSection(view: ExperimentView): Html {
  const { base, best, bestOnTest } = provisionalResult(view);
  const pairs = [base, best, bestOnTest].flatMap((pair) => pair ?? []);
  const gains = phaseGains(view);
  return safe`<section>
    <h2>What each phase brought</h2>
    <div class="scroll">
      <table>
        <caption>
          Test accuracy before and after each phase; gains in percentage points with 95% intervals.
        </caption>
        <thead>
          <tr>
            <th>cycle</th>
            <th>phase</th>
            <th>made</th>
            <th class="n">rollouts</th>
            <th>test</th>
            <th>brought</th>
            <th>ended by</th>
          </tr>
        </thead>
        <tbody>
          ${gains.map(
            ({ phase, before, after, brought }) =>
              safe`<tr>
                <td>${phase.cycle}</td>
                <td><span class="tag ${phase.kind}">${phase.kind}</span></td>
                <td>
                  ${phase.kind === 'weight' ? `${plural(phase.steps.length, 'step')}, ${phase.epochs.toFixed(2)} epochs` : `${plural(phase.iterations, 'iteration')}, ${plural(phase.candidates, 'candidate')}`}
                </td>
                <td class="n">${count(phase.rollouts)}</td>
                <td>${before && after ? `${percent(before.mean)} → ${percent(after.mean)}` : '–'}</td>
                <td>${points(brought)}</td>
                <td>${endReason(phase.endReason, phase.signal)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <div class="scroll">
      <table>
        <caption>
          Pairs: mean of all rollouts, 95% interval, number of rollouts.
        </caption>
        <thead>
          <tr>
            <th>pair</th>
            <th>weights</th>
            <th>harness</th>
            <th>test</th>
            <th>validation</th>
          </tr>
        </thead>
        <tbody>
          ${pairs.map(
            (pair) =>
              safe`<tr>
                <td>${pairLabel(pair)}</td>
                <td>${pair.weights}</td>
                <td><code>${shortId(pair.harness)}</code></td>
                <td>${accuracy(pair.test)}</td>
                <td>${accuracy(pair.validation)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function ledgerSection({ ledger }: ExperimentView): Html {
  const { rollouts, tokens, proposer, seconds, errors } = ledger;
  const rows: [string, string][] = [
    [
      'rollouts',
      `${count(rollouts.weight)} weight, ${count(rollouts.harness)} harness, ${count(rollouts.evaluation)} evaluation`,
    ],
    [
      'tokens',
      `${count(tokens.sampled)} sampled, ${count(tokens.trained)} trained, ${count(tokens.prompt)} of prompts`,
    ],
    ['proposer', `${plural(proposer.calls, 'call')}, ${count(proposer.tokens)} tokens, $${proposer.usd.toFixed(2)}`],
    [
      'time',
      `${duration(seconds.total)}: weight phases ${duration(seconds.weight)}, harness phases ${duration(seconds.harness)}, evaluation ${duration(seconds.evaluation)}`,
    ],
    ['failed attempts', count(errors)],
  ];
  return safe`<section>
    <h2>Ledger</h2>
    <div class="scroll">
      <table>
        <tbody>
          ${rows.map(
            ([name, value]) =>
              safe`<tr>
                <th scope="row">${name}</th>
                <td>${value}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function specSection({ spec }: ExperimentView): Html {
  if (!spec) return safe``;
  return safe`<section>
    <h2>Spec</h2>
    <details>
      <summary>everything that decided what happened</summary>
      <pre>${stringify(spec)}</pre>
    </details>
  </section>`;
}
