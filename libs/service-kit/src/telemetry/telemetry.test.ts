import { ExperimentCancelRequested, ProposalFailed, topicDefinitions, type WireRecord } from '@whale/contracts';
import { startTelemetry } from '@whale/telemetry';
import { OtlpReceiver, type ReceivedPoint } from '@whale/telemetry/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '../service.ts';
import { echo, echoService, type Probe } from '../support/echo-service.ts';
import { recordOf, recordsOn, temporaryPlatform } from '../support/temporary-platform.ts';
import type { WorkHandler } from '../work/work-runner.ts';

const TRACE = 'a'.repeat(32);
const INCOMING = `00-${TRACE}-${'b'.repeat(16)}-01`;

afterEach(() => vi.unstubAllEnvs());

async function telemetryOn(): Promise<OtlpReceiver> {
  const receiver = await OtlpReceiver.start();
  onTestFinished(() => receiver.close());
  for (const [name, value] of Object.entries(receiver.environment)) vi.stubEnv(name, value);
  const telemetry = await startTelemetry({ services: ['proposer'], onTrouble: () => undefined });
  onTestFinished(() => telemetry.stop());
  return receiver;
}

const work: WorkHandler = {
  kind: 'echo',
  concurrency: 2,
  run: async (payload) => ({ events: [echo((payload as { experimentId: string }).experimentId, 'done')] }),
  failed: () => [],
};

async function running(probe?: Probe, handler = work) {
  const platform = await temporaryPlatform();
  await platform.log.ensureTopics(topicDefinitions());
  const service = await startService(echoService(probe, [handler]), platform, {});
  onTestFinished(() => service.stop());
  return platform;
}

function traced(experimentId: string, reason?: string): WireRecord {
  const record = recordOf({ type: ExperimentCancelRequested.type, data: { experimentId, reason: reason ?? 'none' } });
  return { ...record, headers: { ...record.headers, traceparent: INCOMING } };
}

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 15_000, interval: 20 });

test('off, events and the events of work carry the traceparent that led to them, unchanged', async () => {
  const { log } = await running();
  await log.append([traced('direct'), traced('long', 'work')]);
  await eventually(async () => {
    const answers = await recordsOn(log, ProposalFailed.topic);
    expect(answers.map(({ headers }) => headers['traceparent'])).toEqual([INCOMING, INCOMING]);
  });
});

test('on, they carry that of the span that wrote them, under the same event ids', async () => {
  const off = await running();
  await off.log.append([traced('direct'), traced('long', 'work')]);
  const receiver = await telemetryOn();
  const on = await running();
  await on.log.append([traced('direct'), traced('long', 'work')]);
  const answersOf = async (log: typeof on.log) => (await recordsOn(log, ProposalFailed.topic)).map((r) => r.headers);
  await eventually(async () => {
    for (const { log } of [off, on]) expect(await answersOf(log)).toHaveLength(2);
    expect(receiver.spans).toHaveLength(3);
  });
  const ids = async (log: typeof on.log) => (await answersOf(log)).map((headers) => headers['ce_id']).sort();
  expect(await ids(on.log)).toEqual(await ids(off.log));

  const spanOf = (traceparent: string | undefined) =>
    receiver.spans.find(({ spanId }) => traceparent === `00-${TRACE}-${spanId}-01`);
  const named = new Map(
    (await answersOf(on.log)).map((headers) => [headers['ce_correlationid'], spanOf(headers['traceparent'])]),
  );
  expect(named.get('direct')).toMatchObject({ name: 'whale.experiments.v1 process', parentSpanId: 'b'.repeat(16) });
  const handling = receiver.spans.find(
    ({ kind, attributes }) => kind === 5 && attributes['whale.experiment.id'] === 'long',
  );
  expect(named.get('long')).toMatchObject({ name: 'echo work', parentSpanId: handling?.spanId });
});

test('what is parked is counted by topic and code, and its line says which event it was', async () => {
  const receiver = await telemetryOn();
  const platform = await temporaryPlatform();
  await platform.log.ensureTopics(topicDefinitions());
  const lines: object[] = [];
  const onTrouble = (service: string, _message: string, fields?: object) => void lines.push({ service, ...fields });
  const service = await startService(echoService(), { ...platform, onTrouble }, {});
  onTestFinished(() => service.stop());
  const record = { ...traced('poisoned'), value: '{not json' };
  await platform.log.append([record]);
  await eventually(() => {
    const points = receiver.points.filter(({ metric }) => metric === 'whale.dlq.parked');
    expect(points.at(-1)).toMatchObject({
      value: 1,
      attributes: { 'messaging.destination.name': record.topic, 'error.type': 'EVENT_MALFORMED' },
    });
    expect(receiver.spans).toMatchObject([
      { traceId: TRACE, status: { code: 2 }, attributes: { 'whale.event.outcome': 'parked' } },
    ]);
  });
  expect(lines).toMatchObject([
    {
      service: 'proposer',
      code: 'EVENT_MALFORMED',
      experimentId: 'poisoned',
      eventId: record.headers['ce_id'],
      eventType: ExperimentCancelRequested.type,
      topic: record.topic,
      offset: 0,
      traceparent: INCOMING,
    },
  ]);
});

test('lag, work in flight and work pending are shown while they last', async () => {
  const receiver = await telemetryOn();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  onTestFinished(() => release());
  const slow: WorkHandler = {
    ...work,
    concurrency: 1,
    run: (...asked) => held.then(() => work.run(...asked)),
  };
  const { log } = await running((reason) => (reason === 'hang' ? held : undefined), slow);
  const last = (metric: string): ReceivedPoint | undefined =>
    receiver.points.filter((point) => point.metric === metric).at(-1);
  await log.append([traced('long', 'work'), traced('longer', 'work')]);
  await eventually(() => {
    expect(last('whale.work.in_flight')).toMatchObject({ value: 1, attributes: { 'whale.work.kind': 'echo' } });
    expect(last('whale.work.pending')?.value).toBe(2);
  });
  // One key, so one partition: the first of them hangs and all of them wait.
  await log.append(['hang', 'none', 'none'].map((reason) => traced('one', reason)));
  const lag = () => receiver.points.filter(({ metric, value }) => metric === 'whale.consumer.lag' && value > 0).at(-1);
  await eventually(() =>
    expect(lag()).toMatchObject({
      value: 3,
      unit: '{event}',
      attributes: { 'messaging.consumer.group.name': 'proposer' },
    }),
  );
  release();
  await eventually(() => {
    expect(last('whale.work.pending')?.value).toBe(0);
    const place = lag()?.attributes['messaging.destination.partition.id'];
    const there = receiver.points.filter(
      ({ metric, attributes }) =>
        metric === 'whale.consumer.lag' && attributes['messaging.destination.partition.id'] === place,
    );
    expect(there.at(-1)?.value).toBe(0);
  });
});
