import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { HostedSession, type Offer } from './hosted-session.ts';

const { signal } = new AbortController();

function sessionOf(fill: Offer['fill']) {
  const none = async () => Promise.reject(new Error('not asked for'));
  return new HostedSession({ signal, log: null, check: none, tryOut: none, fill });
}

test('the workspace is made when it is asked for, once, and goes with the session', async () => {
  let made = 0;
  const session = sessionOf(async (folder) => {
    made++;
    expect(existsSync(folder)).toBe(false);
    await mkdir(folder);
    await writeFile(join(folder, 'index.md'), 'x');
  });
  expect(made).toBe(0);
  const [one, two] = await Promise.all([session.workspace(), session.workspace()]);
  expect([made, two]).toEqual([1, one]);
  await session.close();
  expect(existsSync(dirname(one))).toBe(false);
});

test('one that cannot be made leaves nothing behind', async () => {
  let folder = '';
  const session = sessionOf(async (path) => {
    folder = path;
    throw new Error('no room');
  });
  await expect(session.workspace()).rejects.toThrow('no room');
  await session.close();
  expect(existsSync(dirname(folder))).toBe(false);
});

test('a session without a log records nothing, and says so', async () => {
  const session = sessionOf(async () => undefined);
  const usage = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };
  await expect(session.record({ kind: 'call-begun', turn: 1, model: 'm', usage, usd: 0 })).rejects.toThrow('pure');
  await session.close();
});
