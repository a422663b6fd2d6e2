import { resolve } from 'node:path';
import { InputError } from '@whale/kernel';
import { expect, it } from 'vitest';
import { platformLocation, withoutPassword } from './location.ts';

it('is the embedded default where nothing is said', () => {
  expect(platformLocation({}, {})).toEqual({ data: resolve('.whale'), log: null, database: null });
  expect(platformLocation({}, { WHALE_LOG: '', WHALE_DATABASE: '', WHALE_DATA: '' }).log).toBeNull();
});

it('takes what is given before what the environment says', () => {
  const environment = { WHALE_LOG: 'kafka://a:1', WHALE_DATABASE: 'postgres://u@h/d', WHALE_DATA: '/srv/whale' };
  expect(platformLocation({}, environment)).toEqual({
    data: '/srv/whale',
    log: 'kafka://a:1',
    database: 'postgres://u@h/d',
  });
  expect(platformLocation({ log: 'kafkas://b:2', data: '/other' }, environment)).toMatchObject({
    log: 'kafkas://b:2',
    data: '/other',
  });
});

it.each([
  [{ log: 'localhost:9092' }, {}, /--log: "localhost:9092" is not kafka:\/\/host:port/u],
  [{}, { WHALE_LOG: 'http://h' }, /WHALE_LOG: "http:\/\/h" is not kafka/u],
  [{ database: 'mysql://u:secret@h/d' }, {}, /--database: "mysql:\/\/u:…@h\/d" is not postgres/u],
])('refuses %j %j', (given, environment, message) => {
  expect(() => platformLocation(given, environment)).toThrow(InputError);
  expect(() => platformLocation(given, environment)).toThrow(message);
});

it('hides a password and nothing else', () => {
  expect(withoutPassword('postgres://u:p%40ss@h:5432/d?sslmode=require')).toBe(
    'postgres://u:…@h:5432/d?sslmode=require',
  );
  expect(withoutPassword('postgres://u:s3@cr/e:t@h:5432/d')).toBe('postgres://u:…@h:5432/d');
  expect(withoutPassword('kafka://a:9092,b:9092')).toBe('kafka://a:9092,b:9092');
});
