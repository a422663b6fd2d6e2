import type { WireRecord } from '@whale/contracts';
import { oneLine } from '../print/text.ts';
import { table } from '../print/table.ts';
import { adviceFor } from './advice.ts';
import type { Entry } from './entries.ts';

const MESSAGE_WIDTH = 60;
const VALUE_CHARACTERS = 4_000;
/** Of more than this only the beginning is shown, which needs no layout. */
const LAID_OUT_CHARACTERS = 100_000;
const HEADER_CHARACTERS = 400;

export function entriesText(entries: readonly Entry[]): string {
  const rows = entries.map(({ letter, parkedAt, retriedAt }) => [
    oneLine(letter.id),
    seconds(parkedAt),
    oneLine(letter.headers['ce_type'] ?? '–', 48),
    oneLine(letter.code, 24),
    oneLine(letter.message, MESSAGE_WIDTH),
    retriedAt === null ? '' : seconds(retriedAt),
  ]);
  return table(['id', 'parked', 'event type', 'code', 'cause', 'retried'], rows);
}

/** All of one entry. `problem` is what this release makes of the original; null when it can be read. */
export function entryText(entry: Entry, original: WireRecord | null, problem: string | null): string {
  const { letter, record, parkedAt, retriedAt } = entry;
  const facts: [string, string][] = [
    ['parked', `${seconds(parkedAt)} by ${letter.service}`],
    ['retried', retriedAt === null ? 'no' : seconds(retriedAt)],
    ['lies at', letter.coordinates],
    ['key', oneLine(original?.key ?? record.key, HEADER_CHARACTERS)],
    ['code', letter.code],
    ...visible(letter.message)
      .split('\n')
      .map((line, i): [string, string] => [i === 0 ? 'cause' : '', line]),
    ['now', problem === null ? 'this release can read it' : `this release cannot read it: ${oneLine(problem, 300)}`],
    ['to do', adviceFor(letter.code)],
  ];
  const headers = Object.entries(original?.headers ?? letter.headers);
  const lines = [
    letter.id,
    ...facts.map(([name, text]) => `  ${name.padEnd(8)} ${text}`),
    'headers',
    ...headers.map(([name, text]) => `  ${oneLine(name, 60)}: ${oneLine(text, HEADER_CHARACTERS)}`),
    'value',
    original === null ? '  (it cannot be read)' : indented(valueText(original.value)),
  ];
  return lines.join('\n');
}

/** JSON laid out; anything else as it is, with what a terminal must not be sent escaped; cut when it is long. */
export function valueText(value: string): string {
  const text = laidOut(value);
  const left = text.length - VALUE_CHARACTERS;
  if (left <= 0) return visible(text);
  return `${visible(text.slice(0, VALUE_CHARACTERS))}… and ${left.toLocaleString('en-US')} characters more`;
}

function laidOut(value: string): string {
  if (value.length > LAID_OUT_CHARACTERS) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** Control and direction characters but for line ends as `\u{…}`: nothing that is shown moves the cursor. */
function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]/gu,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  );
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z').replace('T', ' ');
}
