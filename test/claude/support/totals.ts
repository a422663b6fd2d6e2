import type { ProposerUsage } from '@whale/contracts';
import type { JournalEntry } from '@whale/proposers';
import type { RecordedRequest } from '../../messages-api/server.ts';
import { PRICES } from './request.ts';

export interface Totals {
  tokens: number;
  usd: number;
}

/** What the server bills, whether its answer arrived or not. */
export function billed(requests: readonly RecordedRequest[]): Totals {
  const usages = requests.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return sum(
    usages.map((usage) => ({
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
      cacheRead: usage.cache_read_input_tokens,
    })),
  );
}

/** What the journal counts. */
export function counted(entries: readonly JournalEntry[]): Totals {
  return sum(
    entries.flatMap((entry) => (entry.kind === 'step' && entry.step.kind !== 'tool' ? [entry.step.usage] : [])),
  );
}

/** The kinds of the entries, as words. */
export function kinds(entries: readonly JournalEntry[]): string {
  return entries.map((entry) => (entry.kind === 'step' ? entry.step.kind : 'begun')).join(' ');
}

function sum(usages: readonly ProposerUsage[]): Totals {
  const total = { tokens: 0, usd: 0 };
  for (const { input, output, cacheWrite, cacheRead } of usages) {
    total.tokens += input + output + cacheWrite + cacheRead;
    total.usd +=
      (input * PRICES.input +
        output * PRICES.output +
        cacheWrite * 1.25 * PRICES.input +
        cacheRead * 0.1 * PRICES.input) /
      1e6;
  }
  return total;
}
