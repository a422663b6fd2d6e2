import { expect, test } from 'vitest';
import { describeError, EnvironmentError, InputError, isRetryable, WhaleError } from './errors.ts';

test('an error carries code, whether trying again helps, and its cause', () => {
  const cause = new Error('deeper');
  const error = new WhaleError('BUSY', 'come back', { retryable: true, cause });
  expect(describeError(error)).toEqual({ code: 'BUSY', message: 'come back', retryable: true });
  expect(error.cause).toBe(cause);
  expect(isRetryable(error)).toBe(true);
  expect('cause' in new WhaleError('BUSY', 'come back')).toBe(false);
});

test('bad input and a lacking environment have codes of their own and are not retried', () => {
  expect(describeError(new InputError('wrong'))).toMatchObject({ code: 'INPUT', retryable: false });
  expect(describeError(new EnvironmentError('lacking'))).toMatchObject({ code: 'ENVIRONMENT', retryable: false });
});

test.each([
  [new TypeError('oops'), 'oops'],
  ['text', 'text'],
  [undefined, 'undefined'],
])('what is not ours is unexpected and not retried', (thrown, message) => {
  expect(describeError(thrown)).toEqual({ code: 'UNEXPECTED', message, retryable: false });
  expect(isRetryable(thrown)).toBe(false);
});
