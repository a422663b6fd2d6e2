import { OtlpReceiver, type ReceivedPoint } from '@whale/telemetry/testing';
import { on } from 'node:events';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICES } from '@whale/contracts';
import { quietRun, TINY, type QuietRun } from '../support/quiet-run.ts';
import { scratchFolder, startWhale, whale, type Finished } from '../support/whale-process.ts';

const OTHERS = ['verifier', 'archive', 'rollout'];
const HERE = SERVICES.filter((name) => !OTHERS.includes(name));

const folder = scratchFolder('traced');
let receiver: OtlpReceiver;
let run: Finished;
let services: Finished;
let ready: Response;
let quiet: QuietRun;

beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  const environment = { ...receiver.environment, WHALE_LOG_LEVEL: 'debug' };
  const others = startWhale(['services', ...OTHERS, '--data', folder.path, '--health-port', '0'], environment);
  const port = healthPort(others.process.stderr as Readable);
  const flags = ['--services', HERE.join(','), '--data', folder.path, '--json'];
  run = await whale(['run', TINY, ...flags], environment);
  ready = await fetch(`http://127.0.0.1:${await port}/health/ready`);
  others.process.kill('SIGTERM');
  services = await others.finished;
  quiet = await quietRun();
}, 240_000);

afterAll(async () => {
  await receiver.close();
  folder.remove();
});

async function healthPort(stderr: Readable): Promise<string> {
  let text = '';
  for await (const [chunk] of on(stderr, 'data')) {
    text += String(chunk);
    const port = /health endpoints on [\d.]+:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error('no health endpoints');
}

test('an experiment over two processes is one trace, from submitted to ended', () => {
  expect(run.code, run.stderr).toBe(0);
  expect(services.code, services.stderr).toBe(0);
  expect(receiver.faults).toEqual([]);
  const { spans } = receiver;
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId);
  expect(roots.map(({ name, kind }) => [name, kind])).toEqual([['whale.experiments.v1 send', 4]]);
  expect(spans.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId))).toEqual([]);
  expect(new Set(spans.map(({ attributes }) => attributes['whale.service']))).toEqual(
    new Set(['console', ...SERVICES]),
  );
  expect(new Set(spans.map(({ resource }) => resource['process.pid'])).size).toBe(2);
  expect(new Set(spans.map(({ attributes }) => attributes['whale.experiment.id'])).size).toBe(1);
});

test('a rollout hangs below its request, and its verdict below the rollout', () => {
  const { spans } = receiver;
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const verifying = spans.find(({ attributes }) => attributes['whale.event.type'] === 'whale.rollout.completed.v1');
  const work = byId.get(verifying?.parentSpanId ?? '');
  const request = byId.get(work?.parentSpanId ?? '');
  const decision = byId.get(request?.parentSpanId ?? '');
  expect([verifying, work, request].map((span) => span?.name)).toEqual([
    'whale.rollouts.v1 process',
    'rollout work',
    'whale.rollout-requests.v1 process',
  ]);
  expect(decision?.attributes['whale.service']).toBe('scheduler');
});

test('the metrics of services and experiment are there and agree with the result', async () => {
  const { stdout } = await whale(['show', '--json', '--data', folder.path]);
  const result = JSON.parse(stdout) as {
    experimentId: string;
    ledger: { rollouts: Record<string, number> };
  };
  const last = (metric: string): ReceivedPoint[] => {
    const series = receiver.points.filter((point) => point.metric === metric);
    return [...new Map(series.map((p) => [JSON.stringify([p.attributes, p.resource]), p])).values()];
  };
  const rollouts = last('whale.rollouts').reduce((sum, { value }) => sum + value, 0);
  expect(rollouts).toBe(Object.values(result.ledger.rollouts).reduce((sum, n) => sum + n, 0));
  for (const metric of [
    'messaging.process.duration',
    'whale.event.latency',
    'whale.events',
    'whale.work.duration',
    'whale.work.in_flight',
    'whale.work.pending',
    'whale.outbox.pending',
    'whale.consumer.lag',
    'whale.step.reward',
    'whale.step.number',
    'whale.harness.score',
    'whale.evaluation.accuracy',
    'whale.evaluation.rollouts',
    'whale.experiments.ended',
  ]) {
    expect(last(metric), metric).not.toEqual([]);
  }
  expect(last('whale.dlq.parked')).toEqual([]);
  expect(last('whale.step.reward')[0]?.attributes['whale.experiment.id']).toBe(result.experimentId);
});

test('each line of the services is JSON, with the ids of experiment, event and trace', () => {
  const lines = services.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const started = lines.filter(({ msg }) => String(msg).startsWith('running on')).map(({ service }) => service);
  expect(started).toEqual(OTHERS);
  const handled = lines.filter(({ level }) => level === 'debug');
  expect(handled.length).toBeGreaterThan(0);
  const traceId = receiver.spans[0]?.traceId;
  for (const line of handled) {
    expect(line).toMatchObject({
      msg: 'handled',
      experimentId: expect.stringMatching(/^.+-[0-9a-f]{8}$/) as string,
      eventId: expect.stringMatching(/^event-[0-9a-f]{24}$/) as string,
      eventType: expect.stringMatching(/^whale\./) as string,
      topic: expect.any(String) as string,
      partition: expect.any(Number) as number,
      offset: expect.any(Number) as number,
      trace_id: traceId,
    });
  }
});

test('the health endpoints of the services answer', async () => {
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ status: 'ok', details: { log: { status: 'up' } } });
});

test('O2: without telemetry, and in one process, the same seed has the same events and the same state', async () => {
  const at = async (data: string) => {
    const { experimentId, stateHash } = JSON.parse((await whale(['show', '--json', '--data', data])).stdout) as {
      experimentId: string;
      stateHash: string;
    };
    const { stdout } = await whale(['events', experimentId, '--data', data]);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; traceparent?: string });
    return {
      stateHash,
      ids: events.map(({ id }) => id).sort(),
      traced: events.filter(({ traceparent }) => traceparent),
    };
  };
  const [traced, untraced] = await Promise.all([at(folder.path), at(quiet.data)]);
  expect(traced.stateHash).toBe(untraced.stateHash);
  expect(traced.ids).toEqual(untraced.ids);
  expect(traced.traced).toHaveLength(traced.ids.length);
  expect(untraced.traced).toEqual([]);
});
