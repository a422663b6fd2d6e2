import { InputError } from '@whale/kernel';
import type { ServiceHealth } from '@whale/service-kit';
import { expect, test } from 'vitest';
import { stuckBecause } from './liveness.ts';
import { healthSettings } from './settings.ts';

const NOW = 1_000_000;

function health(aliveAt: number, handlingSince: number | null, publishingSince: number | null): ServiceHealth {
  const status = { aliveAt, handlingSince, partitions: [] };
  return { subscriptions: [{ group: 'rollout', status }], publishingSince, lost: null };
}

test.each<[string, ServiceHealth, string[]]>([
  ['H2: what gets on is not stuck', health(NOW - 1_000, null, NOW), []],
  ['H2: a handler at work for a while is not stuck', health(NOW - 59_000, NOW - 59_000, null), []],
  [
    'H1: a handler that does not return',
    health(NOW - 90_000, NOW - 80_000, null),
    ['group rollout: a handler has not returned for 80 s'],
  ],
  [
    'H1: a loop that does not turn',
    health(NOW - 61_000, null, null),
    ['group rollout: the log has not been asked for 61 s'],
  ],
  [
    'H1: an attempt to publish that does not end',
    health(NOW, null, NOW - 61_000),
    ['outbox: an attempt to publish has not ended for 61 s'],
  ],
  [
    'H3: a part that has not started or has stopped',
    { subscriptions: [{ group: 'rollout', status: null }], publishingSince: null, lost: null },
    [],
  ],
  ['H4: state that is gone', { ...health(NOW, null, null), lost: 'the tables are gone' }, ['the tables are gone']],
])('%s', (_, of, causes) => {
  expect(stuckBecause(of, NOW, 60_000)).toEqual(causes);
});

test('settings from the environment, off by default', () => {
  expect(healthSettings({})).toEqual({ port: null, host: '0.0.0.0', stuckMs: 60_000 });
  expect(healthSettings({ WHALE_HEALTH_PORT: '' }).port).toBeNull();
  expect(healthSettings({ WHALE_HEALTH_PORT: '8080', WHALE_HEALTH_HOST: '::', WHALE_HEALTH_STUCK_MS: '5000' })).toEqual(
    { port: 8080, host: '::', stuckMs: 5_000 },
  );
  for (const port of ['x', '70000', '-1']) {
    expect(() => healthSettings({ WHALE_HEALTH_PORT: port })).toThrow(InputError);
  }
});
