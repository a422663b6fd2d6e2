import { execFile } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ExperimentMetrics } from './experiment-metrics.ts';
import { ServiceMetrics } from './service-metrics.ts';
import { startTelemetry } from './telemetry.ts';
import { OtlpReceiver } from './testing/index.ts';
import { outgoingTraceparent, Tracing } from './tracing.ts';

const INCOMING = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const RECORD = {
  topic: 'whale.rollouts.v1',
  partition: 3,
  offset: 14,
  key: 'rollout-1',
  headers: { ce_id: 'event-1', ce_type: 'whale.rollout.completed.v1', ce_correlationid: 'tiny-1' },
};

afterEach(() => vi.unstubAllEnvs());

async function on(environment: Record<string, string> = {}, services = ['verifier']) {
  const receiver = await OtlpReceiver.start();
  onTestFinished(() => receiver.close());
  for (const [name, value] of Object.entries({ ...receiver.environment, ...environment })) vi.stubEnv(name, value);
  const troubles: string[] = [];
  const telemetry = await startTelemetry({ services, onTrouble: (message) => troubles.push(message) });
  onTestFinished(() => telemetry.stop());
  return { receiver, telemetry, troubles };
}

test('metrics for Prometheus are read without a complaint', async () => {
  const port = await freePort();
  const environment = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: String(port) };
  const { troubles } = await on(environment);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('service_name="whale-verifier"');
  expect(troubles).toEqual([]);
});

test('a handled record is a span of the trace that led to it, and what it leads to is of the same', async () => {
  const { receiver, telemetry } = await on();
  const tracing = new Tracing('verifier', 'kafka');
  const record = { ...RECORD, headers: { ...RECORD.headers, traceparent: INCOMING } };
  const outgoing = await tracing.handling(record, 'verifier', async () => outgoingTraceparent(INCOMING));
  await tracing.working(
    { id: 'event-1/verify', kind: 'verify', experimentId: 'tiny-1', traceparent: outgoing, attempt: 1 },
    async () => undefined,
  );
  await telemetry.stop();

  const [handling, work] = receiver.spans;
  expect(handling).toMatchObject({
    name: 'whale.rollouts.v1 process',
    kind: 5,
    traceId: 'a'.repeat(32),
    parentSpanId: 'b'.repeat(16),
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'whale.rollouts.v1',
      'messaging.destination.partition.id': '3',
      'messaging.kafka.offset': 14,
      'messaging.message.id': 'event-1',
      'messaging.consumer.group.name': 'verifier',
      'whale.experiment.id': 'tiny-1',
    },
    resource: { 'service.name': 'whale-verifier' },
  });
  expect(outgoing).toBe(`00-${'a'.repeat(32)}-${handling?.spanId}-01`);
  expect(work).toMatchObject({ name: 'verify work', traceId: 'a'.repeat(32), parentSpanId: handling?.spanId });
});

test('what a handler throws is told by its span, and thrown on', async () => {
  const { receiver, telemetry } = await on();
  const failing = new Tracing('verifier', 'kafka').handling(RECORD, 'verifier', () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  await telemetry.stop();
  expect(receiver.spans).toMatchObject([
    { status: { code: 2, message: 'no' }, attributes: { 'error.type': 'UNEXPECTED' } },
  ]);
  expect(receiver.spans[0]?.parentSpanId).toBeUndefined();
});

test('O1: where tracing is off, or a span is not of a trace, a traceparent is passed on as it came', async () => {
  const odd = `cc-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`;
  const pass = (traceparent: string | undefined) => {
    const headers = traceparent === undefined ? RECORD.headers : { ...RECORD.headers, traceparent };
    const record = { ...RECORD, headers };
    return new Tracing('verifier', 'kafka').handling(record, 'verifier', async () => outgoingTraceparent(traceparent));
  };
  for (const traceparent of [INCOMING, odd, 'nonsense', undefined]) expect(await pass(traceparent)).toBe(traceparent);
  const { receiver, telemetry } = await on({ OTEL_TRACES_EXPORTER: 'none' });
  for (const traceparent of [INCOMING, odd, 'nonsense', undefined]) expect(await pass(traceparent)).toBe(traceparent);
  await telemetry.stop();
  expect(receiver.spans).toEqual([]);
});

test('metrics arrive with their units, and those of a stopped service come no more', async () => {
  const { receiver, telemetry } = await on();
  const metrics = new ServiceMetrics('verifier', 'kafka');
  const lags = [{ group: 'verifier', topic: 'whale.rollouts.v1', partition: 3, lag: 5 }];
  const unwatch = metrics.watch(async () => ({ lags, inFlight: new Map([['verify', 2]]), pending: 7, outbox: 0 }));
  metrics.handled('whale.rollout.completed.v1', 'handled', 0.2);
  metrics.parked('whale.rollouts.v1', 'EVENT_SCHEMA');
  const estimate = { mean: 0.5, n: 8, low: 0.2, high: 0.8 };
  const data = { experimentId: 'tiny-1', split: 'test', estimate };
  new ExperimentMetrics().written({ type: 'whale.evaluation.completed.v1', data });
  await vi.waitFor(() => expect(receiver.points.map(({ metric }) => metric)).toContain('whale.consumer.lag'));
  unwatch();
  await telemetry.stop();

  const point = (metric: string) => receiver.points.filter((one) => one.metric === metric);
  expect(point('whale.consumer.lag')[0]).toMatchObject({
    unit: '{event}',
    value: 5,
    attributes: {
      'messaging.consumer.group.name': 'verifier',
      'messaging.destination.name': 'whale.rollouts.v1',
      'messaging.destination.partition.id': '3',
    },
  });
  expect(point('whale.work.in_flight')[0]).toMatchObject({ value: 2, attributes: { 'whale.work.kind': 'verify' } });
  expect(point('whale.work.pending')[0]).toMatchObject({ value: 7 });
  expect(point('whale.outbox.pending')[0]).toMatchObject({ value: 0 });
  expect(point('whale.events')[0]).toMatchObject({ value: 1, attributes: { 'whale.event.outcome': 'handled' } });
  expect(point('whale.event.latency')[0]).toMatchObject({ unit: 's', value: 1 });
  expect(point('whale.dlq.parked')[0]).toMatchObject({ value: 1, attributes: { 'error.type': 'EVENT_SCHEMA' } });
  const accuracy = new Map(
    point('whale.evaluation.accuracy').map((one) => [one.attributes['whale.evaluation.bound'], one.value]),
  );
  expect(Object.fromEntries(accuracy)).toEqual({ mean: 0.5, low: 0.2, high: 0.8 });
  expect(point('whale.evaluation.rollouts')[0]).toMatchObject({ value: 8 });
  expect(receiver.faults).toEqual([]);
});

test.each<[string, Record<string, string>, string[], string]>([
  ['several services of a process', {}, ['verifier', 'archive'], 'whale'],
  ['OTEL_SERVICE_NAME', { OTEL_SERVICE_NAME: 'mine' }, ['verifier'], 'mine'],
  ['OTEL_RESOURCE_ATTRIBUTES', { OTEL_RESOURCE_ATTRIBUTES: 'service.name=ours,team=x' }, ['verifier'], 'ours'],
])('the name of %s', async (_, environment, services, name) => {
  const { receiver, telemetry } = await on(environment, services);
  await new Tracing('verifier', 'kafka').handling(RECORD, 'verifier', async () => undefined);
  await telemetry.stop();
  expect(receiver.spans[0]?.resource['service.name']).toBe(name);
  if (environment['OTEL_RESOURCE_ATTRIBUTES']) expect(receiver.spans[0]?.resource['team']).toBe('x');
});

test('a collector that does not answer keeps nobody: stopping is bounded and says so', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const { telemetry, troubles } = await on({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  await new Tracing('verifier', 'kafka').handling(RECORD, 'verifier', async () => undefined);
  await telemetry.stop();
  expect(troubles.join()).toMatch(/telemetry: .*(not done after|timed? ?out)/iu);
});

test('a collector that is not there is told, and not again and again', async () => {
  const { troubles } = await on({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
  });
  const tracing = new Tracing('verifier', 'kafka');
  const until = Date.now() + 3_000;
  while (Date.now() < until) {
    await tracing.handling(RECORD, 'verifier', async () => undefined);
    await sleep(50);
  }
  expect(troubles).not.toEqual([]);
  expect(troubles.every((line) => line.startsWith('telemetry: '))).toBe(true);
  expect(new Set(troubles).size).toBe(troubles.length);
});

test('off, nothing of the SDK is loaded', async () => {
  const run = promisify(execFile);
  const child = join(import.meta.dirname, 'testing/loaded-packages.ts');
  const loaded = async (environment: Record<string, string>) => {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', child], {
      env: { PATH: process.env['PATH'], ...environment },
    });
    return JSON.parse(stdout) as string[];
  };
  expect(await loaded({})).toEqual(['@opentelemetry/api']);
  expect(await loaded({ OTEL_TRACES_EXPORTER: 'console' })).toContain('@opentelemetry/sdk-node');
});

async function freePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  return port;
}
