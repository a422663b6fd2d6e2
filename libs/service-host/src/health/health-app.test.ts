import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEvent, ExperimentCancelRequested, type WireRecord } from '@whale/contracts';
import { EnvironmentError, ManualClock } from '@whale/kernel';
import { startService, type RunningService } from '@whale/service-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { embedded } from '../location.ts';
import { openPlatform } from '../platform.ts';
import { slowService } from '../support/slow-service.ts';
import { openHealthApp } from './health-app.ts';

interface Body {
  status: string;
  error: Record<string, { message: string }>;
  details: Record<string, unknown>;
}

/** A service on the embedded log; `handle` is what it does with an event. */
async function serviceWith(handle: () => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'whale-health-'));
  const platform = await openPlatform(embedded(folder));
  const running: RunningService[] = [];
  // Real time, which a test moves on.
  const clock = new ManualClock();
  const now = { now: () => Date.now() + clock.now() };
  const probes = { log: platform.log, clock: now, expected: ['scheduler'], running, stuckMs: 60_000 };
  const app = await openHealthApp({ port: 0, host: '127.0.0.1' }, probes);
  onTestFinished(async () => {
    await app.close();
    for (const service of running) await service.stop();
    await platform.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async (path: string): Promise<Body & { code: number }> => {
    const response = await fetch(`http://127.0.0.1:${app.port}/health/${path}`);
    return { ...((await response.json()) as Body), code: response.status };
  };
  const start = async () => void running.push(await startService(slowService(handle), platform, {}));
  return { platform, clock, ask, start, app, probes };
}

function request(experimentId: string): WireRecord {
  const event = { type: ExperimentCancelRequested.type, data: { experimentId, reason: 'none' } };
  return encodeEvent(event, { source: 'test', time: 0, correlationId: experimentId });
}

test('a service that gets on is live and ready; one that has not started is not ready', async () => {
  const { ask, start } = await serviceWith(async () => undefined);
  expect(await ask('ready')).toMatchObject({ code: 503, error: { scheduler: { message: 'has not started' } } });
  expect(await ask('live')).toMatchObject({ code: 200, status: 'ok' });
  await start();
  expect(await ask('ready')).toMatchObject({
    code: 200,
    status: 'ok',
    details: { log: { status: 'up' }, scheduler: { status: 'up' }, 'scheduler.store': { status: 'up' } },
  });
});

test('H1: a handler that hangs for good turns liveness to 503 while the process is up', async () => {
  let release = () => {};
  const hanging = new Promise<void>((resolve) => (release = resolve));
  const handling = vi.fn(() => hanging);
  const { platform, clock, ask, start } = await serviceWith(handling);
  await start();
  await platform.log.append([request('tiny-1')]);
  await vi.waitFor(() => expect(handling).toHaveBeenCalled(), 10_000);
  expect(await ask('live')).toMatchObject({ code: 200 });
  clock.advance(61_000);
  expect(await ask('live')).toMatchObject({
    code: 503,
    status: 'error',
    error: { scheduler: { status: 'down', message: expect.stringMatching(/a handler has not returned for 6\d s/) } },
  });
  release();
  clock.advance(-61_000);
  await vi.waitFor(async () => expect((await ask('live')).code).toBe(200), 10_000);
});

test('readiness turns to 503 with its cause when the log is gone', async () => {
  const { platform, ask, start } = await serviceWith(async () => undefined);
  await start();
  expect((await ask('ready')).code).toBe(200);
  await platform.log.close();
  const { code, error } = await ask('ready');
  expect(code).toBe(503);
  expect(error['log']?.message).toMatch(/closed/iu);
});

test('a port that is taken is an environment error that names it', async () => {
  const { app, probes } = await serviceWith(async () => undefined);
  const again = openHealthApp({ port: app.port, host: '127.0.0.1' }, probes);
  await expect(again).rejects.toThrow(EnvironmentError);
  await expect(again).rejects.toThrow(`127.0.0.1:${app.port}`);
});
