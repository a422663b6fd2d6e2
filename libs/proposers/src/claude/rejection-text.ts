import type { Rejection } from '../proposer.ts';
import { shorten } from '../shorten.ts';

const LINES_AROUND = 2;
const MOST_LINE = 200;
const MOST_MESSAGE = 4_000;

/** `types, line 12: …`, one line, for the audit. */
export function rejectionLine({ stage, line, message }: Rejection): string {
  const where = line === null ? stage : `${stage}, line ${line}`;
  return shorten(`${where}: ${message.replace(/\s+/gu, ' ')}`, 500);
}

/** For the model: where it fails, why, and the lines around. */
export function rejectionText({ stage, line, message }: Rejection, source: string): string {
  const where = line === null ? '' : `, line ${line}`;
  const head = `Rejected at the stage \`${stage}\`${where}: ${shorten(message, MOST_MESSAGE)}`;
  return line === null ? head : `${head}\n${excerpt(source, line)}`;
}

function excerpt(source: string, line: number): string {
  const lines = source.split('\n');
  const from = Math.max(1, line - LINES_AROUND);
  const to = Math.min(lines.length, line + LINES_AROUND);
  const width = String(to).length;
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, offset) => {
    const number = from + offset;
    const mark = number === line ? '>' : ' ';
    return `${mark} ${String(number).padStart(width)} | ${shorten(lines[number - 1] ?? '', MOST_LINE)}`;
  }).join('\n');
}
