import type { JsonValue } from '@whale/kernel';
import { shorten } from '../shorten.ts';

const MOST_STRING = 80;
const MOST_SUMMARY = 300;

/** The arguments of a tool in one short line; of a long text only its length. */
export function summaryOf(input: JsonValue): string {
  const text = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' && value.length > MOST_STRING ? `(${value.length} characters)` : value,
  );
  return shorten(text, MOST_SUMMARY);
}
