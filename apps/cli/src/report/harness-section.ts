import { structuredPatch } from 'diff';
import { provisionalResult, type ArchiveEntryView, type ExperimentView } from '@whale/experiment-view';
import { percent, plural, shortId } from '../print/text.ts';
import { Html, safe } from './html.ts';
import type { ReportMaterial } from './material.ts';

/** All candidates with what was expected of them; the same as the drawing, for reading. */
export function searchTable(view: ExperimentView): Html {
  if (view.archive.length === 0) return safe``;
  return safe`<details>
    <summary>
      ${plural(view.archive.length, 'measurement')}, ${plural(view.rejected.length, 'candidate')} rejected before
      costing a rollout
    </summary>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>cycle</th>
            <th>iteration</th>
            <th>harness</th>
            <th class="n">score</th>
            <th>verdict</th>
            <th>hypothesis and change</th>
          </tr>
        </thead>
        <tbody>
          ${view.archive.map(candidateRow)}
        </tbody>
      </table>
    </div>
    ${rejectedTable(view)}
  </details>`;
}

function candidateRow(entry: ArchiveEntryView): Html {
  const verdict =
    entry.iteration === 0
      ? safe`<span class="tag base">start</span>`
      : entry.accepted
        ? safe`<span class="tag good">accepted</span>`
        : 'not accepted';
  const parent =
    entry.parent === null
      ? ''
      : safe`<div class="muted">parent ${shortId(entry.parent)}; ${entry.changes.join('; ')}</div>`;
  const diff =
    entry.diff === ''
      ? ''
      : safe`<details>
          <summary>diff</summary>
          ${diffBlock(entry.diff.trimEnd().split('\n'))}
        </details>`;
  return safe`<tr class="${entry.accepted ? 'accepted' : ''}">
    <td>${entry.cycle}</td>
    <td>${entry.iteration}</td>
    <td><code>${shortId(entry.harness)}</code> under ${entry.weights}</td>
    <td class="n">${entry.score === null ? '–' : `${percent(entry.score)} of ${entry.measured}`}</td>
    <td>${verdict}</td>
    <td>${entry.hypothesis}${parent}${diff}</td>
  </tr>`;
}

function rejectedTable(view: ExperimentView): Html {
  if (view.rejected.length === 0) return safe``;
  return safe`<div class="scroll">
    <table>
      <caption>
        Candidates that the check refused.
      </caption>
      <thead>
        <tr>
          <th>cycle</th>
          <th>iteration</th>
          <th>why</th>
          <th>hypothesis</th>
        </tr>
      </thead>
      <tbody>
        ${view.rejected.map(
          ({ cycle, iteration, stage, line, message, hypothesis }) =>
            safe`<tr>
              <td>${cycle}</td>
              <td>${iteration}</td>
              <td>${stage}${line === null ? '' : `, line ${line}`}: ${message}</td>
              <td>${hypothesis}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The harness of the best pair, and how it differs from h₀. */
export function harnessSection({ view, sources }: ReportMaterial): Html {
  const { base, best } = provisionalResult(view);
  const after = best && sources.get(best.harness);
  if (!base || !best || after === undefined || after === null) return safe``;
  const before = sources.get(base.harness) ?? '';
  const same = base.harness === best.harness;
  const lines = structuredPatch('h0', 'best', before, after, '', '', { context: 3 }).hunks.flatMap((hunk) => [
    `@@ from line ${hunk.newStart} @@`,
    ...hunk.lines,
  ]);
  return safe`<section>
    <h2>The harness of the best pair</h2>
    <p>
      ${same ? 'It is h₀: no other harness was part of a better pair.' : `Harness ${shortId(best.harness)}. What the search changed in h₀:`}
    </p>
    ${same ? '' : diffBlock(lines)}
    <details>
      <summary>full source</summary>
      <pre>${after}</pre>
    </details>
  </section>`;
}

function diffBlock(lines: readonly string[]): Html {
  const kinds: Readonly<Record<string, string>> = { '+': 'add', '-': 'del', '@': 'at' };
  const kindOf = (line: string) => (/^(---|\+\+\+) /.test(line) ? 'at' : (kinds[line[0] ?? ''] ?? 'same'));
  const rows = lines.map((line) => safe`<span class="${kindOf(line)}">${line === '' ? ' ' : line}</span>`);
  return safe`<pre>${rows}</pre>`;
}
