import { phaseNoise, type AcceptanceView, type ExperimentView, type PhaseView } from '@whale/experiment-view';
import { percent, plural, points, shortId } from '../print/text.ts';
import { safe, type Html } from './html.ts';

type Decision = NonNullable<AcceptanceView['decision']>;

const REASONS: Readonly<Record<Decision['reason'], string>> = {
  better: 'better on fresh rollouts',
  'not-better': 'not better on fresh rollouts',
  'not-significant': 'better, but not by more than chance allows',
  unmeasured: 'no task has a fresh rollout of both',
};

/** How far the search can be trusted: winners measured again, and what it would have made of pure noise. */
export function acceptanceSection(view: ExperimentView): Html {
  const noise = view.phases.filter(({ kind }) => kind === 'harness').flatMap((phase) => noiseRow(view, phase) ?? []);
  const decisions = view.acceptances.flatMap(({ decision }) => decision ?? []);
  if (noise.length === 0 && decisions.length === 0) return safe``;
  return safe`<section>
    <h2>Gain or chance</h2>
    ${decisions.length === 0 ? '' : decisionTable(decisions)} ${noise.length === 0 ? '' : noiseTable(noise)}
  </section>`;
}

function decisionTable(decisions: readonly Decision[]): Html {
  return safe`<div class="scroll">
    <table>
      <caption>
        Apparent winners, measured again beside the incumbent on fresh rollouts of the same tasks. A search score is optimistic
        for a winner, a fresh one is not. Differences in percentage points with 95% intervals.
      </caption>
      <thead>
        <tr>
          <th>cycle</th>
          <th>iteration</th>
          <th>challenger</th>
          <th class="n">search</th>
          <th class="n">fresh</th>
          <th>incumbent</th>
          <th class="n">search</th>
          <th class="n">fresh</th>
          <th class="n">tasks +/−/=</th>
          <th class="n">paired difference</th>
          <th class="n">p</th>
          <th>verdict</th>
        </tr>
      </thead>
      <tbody>
        ${decisions.map(decisionRow)}
      </tbody>
    </table>
  </div>`;
}

function decisionRow({ cycle, iteration, challenger, incumbent, paired, accepted, reason }: Decision): Html {
  const { better, worse, equal, mean, low, high, p } = paired;
  const difference = mean === null || low === null || high === null ? '–' : points({ mean, low, high });
  return safe`<tr class="${accepted ? 'accepted' : ''}">
    <td>${cycle}</td>
    <td>${iteration}</td>
    <td><code>${shortId(challenger.harnessId)}</code></td>
    <td class="n">${share(challenger.search)}</td>
    <td class="n">${share(challenger.fresh)}</td>
    <td><code>${shortId(incumbent.harnessId)}</code></td>
    <td class="n">${share(incumbent.search)}</td>
    <td class="n">${share(incumbent.fresh)}</td>
    <td class="n">${better}/${worse}/${equal}</td>
    <td class="n">${difference}</td>
    <td class="n">${p === null ? '–' : p.toFixed(3)}</td>
    <td>${accepted ? safe`<span class="tag good">accepted</span>` : 'refused'}: ${REASONS[reason]}</td>
  </tr>`;
}

function noiseTable(rows: readonly Html[]): Html {
  return safe`<div class="scroll">
    <table>
      <caption>
        The same search with identical candidates under other names (A/A): how often it would have accepted at least one,
        though none is better.
      </caption>
      <thead>
        <tr>
          <th>cycle</th>
          <th>search</th>
          <th class="n">noise accepted by argmax</th>
          <th class="n">by confirmation</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

function noiseRow(view: ExperimentView, phase: PhaseView): Html | null {
  const noise = phaseNoise(view, phase);
  if (!noise || noise.candidates === 0) return null;
  const { candidates, tasks, argmax, confirm, rule } = noise;
  return safe`<tr>
    <td>${phase.cycle}</td>
    <td>${plural(candidates, 'candidate')} in ${plural(phase.iterations, 'iteration')} on ${plural(tasks, 'task')}</td>
    <td class="n">${percent(argmax)}</td>
    <td class="n">${percent(confirm)} (${plural(rule.rolloutsPerTask, 'rollout')} a task, p ≤ ${rule.level})</td>
  </tr>`;
}

function share({ score, measured }: { score: number | null; measured: number }): string {
  return score === null ? '–' : `${percent(score)} of ${measured}`;
}
