import { expect, test } from 'vitest';
import { storeErrorOf } from './postgres-errors.ts';

const thrown = (code?: string) =>
  Object.assign(new Error('why'), code === undefined ? {} : { code, severity: 'ERROR' });

test.each<[string, string, boolean]>([
  ['08006', 'STORE_UNAVAILABLE', true],
  ['22021', 'STORE_UNSTORABLE', false],
  ['25006', 'STORE_UNAVAILABLE', true],
  ['25P03', 'STORE_UNAVAILABLE', true],
  ['25P04', 'STORE_UNAVAILABLE', true],
  ['3F000', 'STORE_GONE', false],
  ['40001', 'STORE_CONFLICT', true],
  ['40P01', 'STORE_CONFLICT', true],
  ['42P01', 'STORE_GONE', false],
  ['42501', 'STORE_IO', false],
  ['53100', 'STORE_FULL', true],
  ['53200', 'STORE_UNAVAILABLE', true],
  ['53300', 'STORE_UNAVAILABLE', true],
  ['54000', 'STORE_UNSTORABLE', false],
  ['55P03', 'STORE_CONFLICT', true],
  ['57014', 'STORE_CONFLICT', true],
  ['57P01', 'STORE_UNAVAILABLE', true],
  ['58030', 'STORE_IO', true],
  ['XX001', 'STORE_IO', false],
])('SQLSTATE %s is %s, and goes away by itself: %s', (state, code, retryable) => {
  expect(storeErrorOf(thrown(state), 'db')).toMatchObject({
    code,
    retryable,
    message: expect.stringMatching(/^the database db .*: why$/) as string,
  });
});

test('a connection that breaks has no SQLSTATE', () => {
  expect(storeErrorOf(thrown(), 'db')).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
});
