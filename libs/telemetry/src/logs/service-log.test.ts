import { InputError } from '@whale/kernel';
import { expect, test } from 'vitest';
import { ServiceLog } from './service-log.ts';

function open(environment: NodeJS.ProcessEnv, isTTY = false): { log: ServiceLog; lines: string[] } {
  const lines: string[] = [];
  const stream = { isTTY, write: (line: string) => void lines.push(line) };
  return { log: ServiceLog.open({ environment, stream }), lines };
}

test('a line is JSON with the ids of the event and of its span', () => {
  const { log, lines } = open({});
  log.say('warn', 'rollout', 'parked', {
    code: 'EVENT_SCHEMA',
    experimentId: 'tiny-1',
    eventId: 'event-1',
    eventType: 'whale.rollout.requested.v1',
    topic: 'whale.rollout-requests.v1',
    partition: 3,
    offset: 14,
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/\n$/);
  const line: unknown = JSON.parse(lines[0] as string);
  expect(line).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    pid: process.pid,
    service: 'rollout',
    code: 'EVENT_SCHEMA',
    experimentId: 'tiny-1',
    eventId: 'event-1',
    eventType: 'whale.rollout.requested.v1',
    topic: 'whale.rollout-requests.v1',
    partition: 3,
    offset: 14,
    trace_id: 'a'.repeat(32),
    span_id: 'b'.repeat(16),
    msg: 'parked',
  });
});

test('a person at a terminal reads short lines', () => {
  const { log, lines } = open({}, true);
  log.say('info', 'rollout', 'running on .whale', { topic: 'x' });
  expect(lines).toEqual(['rollout: running on .whale\n']);
});

test('WHALE_LOG_LEVEL says which lines there are, info by default', () => {
  const { log, lines } = open({ WHALE_LOG_LEVEL: '' });
  log.say('debug', 'rollout', 'handled');
  expect(log.shows('debug')).toBe(false);
  expect(lines).toEqual([]);
  expect(open({ WHALE_LOG_LEVEL: 'debug' }).log.shows('debug')).toBe(true);
  expect(open({ WHALE_LOG_LEVEL: 'error' }).log.shows('warn')).toBe(false);
  expect(() => open({ WHALE_LOG_LEVEL: 'loud' })).toThrow(InputError);
  expect(() => open({ WHALE_LOG_LEVEL: 'loud' })).toThrow(/WHALE_LOG_LEVEL/);
});

test.each([
  ['connect postgres://whale:pa55word@db:5432/whale', 'connect postgres://whale:…@db:5432/whale'],
  ['401 for Bearer abcdef123456.xyz', '401 for Bearer …'],
  ['{"api_key":"abc123","n":1}', '{"api_key":"…","n":1}'],
  ['password=hunter2 refused', 'password=… refused'],
  ['x-api-key sk-ant-api03-AAAA', 'x-api-key sk-…'],
  ['SASL says s3cret-of-kafka', 'SASL says …'],
  ['kafka://a:9092,b:9092 and whale.rollouts.v1/3@14', 'kafka://a:9092,b:9092 and whale.rollouts.v1/3@14'],
])('secrets are taken out: %s', (message, shown) => {
  const { log, lines } = open({ KAFKA_SASL_PASSWORD: 's3cret-of-kafka', OTHER_TOKEN: 'a' });
  log.say('warn', 'rollout', message);
  expect((JSON.parse(lines[0] as string) as { msg: string }).msg).toBe(shown);
});
