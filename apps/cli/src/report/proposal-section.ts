import { stepText } from '../audit/text.ts';
import type { AuditedSession, AuditedStep } from '../audit/sessions.ts';
import { count, plural } from '../print/text.ts';
import { safe, type Html } from './html.ts';
import type { ReportMaterial } from './material.ts';

/** What the proposer asked, read and wrote for each batch; nothing where no session has a step. */
export function proposalSection({ sessions }: ReportMaterial): Html {
  const audited = sessions.filter(({ steps }) => steps.length > 0);
  if (audited.length === 0) return safe``;
  return safe`<section>
    <h2>How the candidates were proposed</h2>
    <p>
      Each step of the proposer is an event: what it asked the model, which files of the workspace it read, what it wrote
      and what became of it. Tokens and dollars are those so far in the session.
    </p>
    ${audited.map(sessionDetails)}
  </section>`;
}

function sessionDetails({ iteration, cycle, attempt, proposer, wanted, valid, steps }: AuditedSession): Html {
  const last = steps.at(-1)?.totals;
  const again = attempt === 1 ? '' : `, attempt ${attempt}`;
  const outcome = valid === null ? 'goes on' : `${valid} of ${plural(wanted, 'candidate')}`;
  const cost = last ? `${plural(last.calls, 'call')}, ${count(last.tokens)} tokens, $${last.usd.toFixed(2)}` : '';
  return safe`<details>
    <summary>iteration ${iteration} of cycle ${cycle}${again}: ${proposer}, ${outcome}; ${cost}</summary>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th class="n">turn</th>
            <th>step</th>
            <th class="n">bytes</th>
            <th class="n">tokens</th>
            <th class="n">USD</th>
          </tr>
        </thead>
        <tbody>
          ${steps.map(stepRow)}
        </tbody>
      </table>
    </div>
  </details>`;
}

function stepRow({ step, totals }: AuditedStep): Html {
  return safe`<tr>
    <td class="n">${'turn' in step ? step.turn : ''}</td>
    <td>${stepText(step)}</td>
    <td class="n">${step.kind === 'tool' ? count(step.bytes) : ''}</td>
    <td class="n">${count(totals.tokens)}</td>
    <td class="n">${totals.usd.toFixed(4)}</td>
  </tr>`;
}
