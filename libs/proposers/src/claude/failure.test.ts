import { expect, it } from 'vitest';
import { failureOf, type ApiProblem } from './failure.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function failure(problem: Partial<Omit<ApiProblem, 'header'>>, headers: Record<string, string> = {}) {
  const { status, type = null, code = null, message = 'said' } = problem;
  const header = (name: string): string | null => headers[name] ?? null;
  return failureOf({ status, type, code, message, header }, 'claude-x', NOW);
}

it.each<[Record<string, string>, number | null]>([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': '7', 'retry-after-ms': '120' }, 120],
  [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '' }, null],
  [{}, null],
])('%j asks to wait %s ms', (headers, wait) => {
  expect(failure({ status: 429 }, headers).waitMilliseconds).toBe(wait);
});

it.each([
  [408, true, 'no'],
  [409, true, 'no'],
  [429, true, 'no'],
  [500, true, 'maybe'],
  [502, true, 'maybe'],
  [529, true, 'no'],
  [400, false, 'no'],
  [401, false, 'no'],
  [402, false, 'no'],
  [403, false, 'no'],
  [404, false, 'no'],
  [413, false, 'no'],
])('status %i: tried again %s, billed %s', (status, retry, billed) => {
  const found = failure({ status });
  expect(found).toMatchObject({ retry, billed });
  expect(found.error.retryable).toBe(retry);
});

it.each([
  ['overloaded_error', true],
  ['api_error', true],
  ['rate_limit_error', true],
  [null, true],
  ['invalid_request_error', false],
])('an event %s in a stream: tried again %s, counted in any case', (type, retry) => {
  expect(failure({ type })).toMatchObject({ retry, billed: 'maybe' });
});

it('does not wait for the money of next month', () => {
  const found = failure({ status: 429, type: 'rate_limit_error', code: 'enforced_spend_limit_reached' });
  expect(found.retry).toBe(false);
  expect(found.error.code).toBe('PROPOSER_CREDIT');
});

it('knows a prompt that is too long', () => {
  expect(failure({ status: 400, message: 'prompt is too long: 201 tokens > 200 maximum' }).tooLong).toBe(true);
  expect(failure({ status: 413 }).tooLong).toBe(true);
  expect(failure({ status: 400, message: 'max_tokens: too large' }).tooLong).toBe(false);
});
