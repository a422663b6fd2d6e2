import { WhaleError } from '@whale/kernel';
import { deadLetterTopic } from '@whale/contracts';
import { onTestFinished, expect, test, vi } from 'vitest';
import { startService } from '../service.ts';
import { ECHO_TOPIC, REQUEST_TOPIC, echoService, request } from '../support/echo-service.ts';
import { recordOf, recordsOn, temporaryPlatform } from '../support/temporary-platform.ts';

const DLQ = deadLetterTopic(REQUEST_TOPIC);
const ID = 'x';

test('T2: what is no event of the topic is parked with its coordinates and cause, and the partition goes on', async () => {
  const platform = await temporaryPlatform();
  const service = await startService(echoService(), platform, {});
  onTestFinished(() => service.stop());
  const good = recordOf(request(ID, 'good'));
  const poison = [
    { ...good, value: '{"half":' },
    { ...good, value: '{"experimentId":"x","reason":7}' },
    { ...good, headers: { ...good.headers, ce_type: 'whale.nobody.knows.v1' } },
    { ...good, headers: { 'content-type': 'application/json' } },
    { ...good, headers: { ...good.headers, ce_type: 'whale.phase.started.v1' } },
    { ...good, headers: { ...good.headers, ce_type: 'whale.experiment.cancel-requested.v9' } },
  ];
  await platform.log.append([...poison, good]);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(1), 10_000);
  const parked = await recordsOn(platform.log, DLQ);
  const source = await recordsOn(platform.log, REQUEST_TOPIC);
  expect(parked.map((record) => record.headers['whale-dlq-code'])).toEqual([
    'EVENT_MALFORMED',
    'EVENT_SCHEMA',
    'EVENT_TYPE_UNKNOWN',
    'EVENT_MALFORMED',
    'EVENT_TOPIC',
    'EVENT_VERSION_NEWER',
  ]);
  expect(parked.at(-1)?.headers['whale-dlq-message']).toContain('upgrade, then `whale dlq retry`');
  parked.forEach((record, i) => {
    expect(record.value).toBe(poison[i]?.value);
    expect(record.key).toBe(ID);
    expect(record.headers).toMatchObject({
      'whale-dlq-service': 'proposer',
      'whale-dlq-topic': REQUEST_TOPIC,
      'whale-dlq-partition': String(source[i]?.partition),
      'whale-dlq-offset': String(source[i]?.offset),
    });
  });
  expect(platform.troubles).toHaveLength(poison.length);
});

test('T2: a handler that throws keeps its own message all the way', async () => {
  const platform = await temporaryPlatform();
  const service = await startService(
    echoService((reason) => {
      if (reason === 'bug') throw new TypeError('cannot read the tea leaves');
      if (reason === 'typed') throw new WhaleError('NO_TEA', 'the tea is out');
    }),
    platform,
    {},
  );
  onTestFinished(() => service.stop());
  await platform.log.append(['bug', 'typed', 'good'].map((reason) => recordOf(request(reason, reason))));
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(1), 10_000);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, DLQ)).toHaveLength(2), 10_000);
  const causes = (await recordsOn(platform.log, DLQ)).map(
    ({ headers }) => `${headers['whale-dlq-code']}: ${headers['whale-dlq-message']}`,
  );
  expect(causes.sort()).toEqual(['NO_TEA: the tea is out', 'UNEXPECTED: cannot read the tea leaves']);
  expect(platform.troubles.join()).not.toContain('Internal server error');
});

test('a known event that the service does not consume, in whatever version, is passed over in silence', async () => {
  const platform = await temporaryPlatform();
  const service = await startService(echoService(), platform, {});
  onTestFinished(() => service.stop());
  const submitted = recordOf(request(ID));
  const passedOver = ['whale.experiment.submitted.v1', 'whale.experiment.submitted.v9'].map((ce_type) => ({
    ...submitted,
    headers: { ...submitted.headers, ce_type },
    value: 'not even read',
  }));
  await platform.log.append([...passedOver, submitted]);
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(1), 10_000);
  expect(await recordsOn(platform.log, DLQ)).toEqual([]);
  expect(platform.troubles).toEqual([]);
});
