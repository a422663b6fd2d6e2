import type { ProposalStep } from '@whale/contracts';
import { table } from '../print/table.ts';
import { count, oneLine, plural, shortId } from '../print/text.ts';
import type { AuditedSession, AuditedStep } from './sessions.ts';

const MOST_TEXT = 90;
const MOST_PATHS = 4;

/** Sessions for people: what was asked, read and written, in order, with what it has cost by then. */
export function auditText(sessions: readonly AuditedSession[]): string {
  return sessions.map(sessionText).join('\n\n');
}

function sessionText(session: AuditedSession): string {
  const { iteration, cycle, iterationOfCycle, attempt, request, proposer, steps } = session;
  const place = `iteration ${iteration} (cycle ${cycle}, number ${iterationOfCycle})`;
  const again = attempt === 1 ? '' : `, attempt ${attempt}`;
  const head = `${place}${again}: ${oneLine(proposer)}, ${outcome(session)}, from the workspace at ${request}`;
  if (steps.length === 0) {
    return `${head}\n  ${session.valid === null ? 'no step yet' : `no steps: ${oneLine(proposer)} asks no model and reads no file`}`;
  }
  const rows = inReadingOrder(steps).map(rowOf);
  const columns = ['turn', 'step', 'bytes', 'tokens', 'USD'];
  return `${head}\n${indented(table(columns, rows, ['right', 'left', 'right', 'right', 'right']))}`;
}

function outcome({ wanted, valid }: AuditedSession): string {
  return valid === null ? `${plural(wanted, 'candidate')} asked for` : `${valid} of ${plural(wanted, 'candidate')}`;
}

/** A candidate is judged while the tool that writes it runs, which is recorded when it is over: here it comes after it. */
function inReadingOrder(steps: readonly AuditedStep[]): AuditedStep[] {
  const order: AuditedStep[] = [];
  const verdicts: AuditedStep[] = [];
  for (const each of steps) {
    if (each.step.kind === 'candidate') verdicts.push(each);
    else if (each.step.kind === 'tool') order.push(each, ...verdicts.splice(0));
    else order.push(...verdicts.splice(0), each);
  }
  return [...order, ...verdicts];
}

/** Tokens and dollars are those so far. */
function rowOf({ step, totals }: AuditedStep): string[] {
  const turn = 'turn' in step ? String(step.turn) : '';
  const bytes = step.kind === 'tool' ? count(step.bytes) : '';
  const spends = step.kind === 'call' || step.kind === 'call-lost' || step.kind === 'ended';
  return [
    turn,
    oneLine(stepText(step), MOST_TEXT),
    bytes,
    ...(spends ? [count(totals.tokens), totals.usd.toFixed(4)] : ['', '']),
  ];
}

/** One step as a sentence, of any length and with whatever a model wrote in it. */
export function stepText(step: ProposalStep): string {
  switch (step.kind) {
    case 'call':
      return `${step.model}: ${step.stopReason}`;
    case 'call-lost':
      return `${step.model}: the answer was lost (${step.reason}); counted as the most it can have cost`;
    case 'tool':
      return `${step.tool}${step.input === '' ? '' : ` ${step.input}`}${read(step)}${failed(step.error)}`;
    case 'candidate': {
      const { number, harness, rejection } = step;
      const line = rejection === null || rejection.line === null ? '' : `, line ${rejection.line}`;
      const verdict = rejection === null ? 'valid' : `rejected at ${rejection.stage}${line}: ${rejection.message}`;
      return `candidate ${number} (${shortId(harness.id)}): ${verdict}`;
    }
    case 'ended': {
      const { reason, message, wanted, written, valid } = step;
      return `ended: ${reason}; ${valid} of ${wanted} valid, ${written} written${message === null ? '' : `; ${message}`}`;
    }
    default:
      return step satisfies never;
  }
}

/** What was read, as far as the arguments do not name it. */
function read({ input, paths: all }: Extract<ProposalStep, { kind: 'tool' }>): string {
  const paths = all.filter((path) => !input.includes(path));
  if (paths.length === 0) return '';
  const more = paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more` : '';
  return ` [${paths.slice(0, MOST_PATHS).join(', ')}${more}]`;
}

function failed(error: string | null): string {
  return error === null ? '' : `, refused: ${error}`;
}

function indented(text: string): string {
  return text.replace(/^/gmu, '  ');
}
