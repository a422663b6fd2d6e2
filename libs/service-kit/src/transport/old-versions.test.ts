import { Controller, Module, type DynamicModule } from '@nestjs/common';
import { encodeEvent, WeightsUpdated, type EventEnvelope, type WireRecord } from '@whale/contracts';
import { onTestFinished, expect, test, vi } from 'vitest';
import { startService, type ServiceDefinition } from '../service.ts';
import { temporaryPlatform } from '../support/temporary-platform.ts';
import { WORK_HANDLERS } from '../work/tokens.ts';
import { OnEvent } from './on-event.ts';

const heard: EventEnvelope<WeightsUpdated>[] = [];

@Controller()
class Listener {
  @OnEvent(WeightsUpdated)
  updated(envelope: EventEnvelope<WeightsUpdated>): void {
    heard.push(envelope);
  }
}

@Module({})
class ListenerModule {}

const listening: ServiceDefinition<null> = {
  name: 'archive',
  subscriptions: { consumes: [WeightsUpdated], emits: [] },
  config: () => null,
  module: (): DynamicModule => ({
    module: ListenerModule,
    controllers: [Listener],
    providers: [{ provide: WORK_HANDLERS, useValue: [] }],
  }),
};

const blob = { uri: `blob:sha256/${'0'.repeat(64)}`, sha256: '0'.repeat(64), bytes: 3 };
function updated(step: number): { now: WireRecord; before: WireRecord } {
  const data = {
    experimentId: 'x',
    stepId: `s${step}`,
    step,
    previous: 'w0',
    weights: { ...blob, version: 'w1' },
    changed: true,
    optimizer: null,
    samples: 4,
    loss: 0.5,
    tokens: { trained: 8, processed: 32 },
  };
  const context = { source: 'test', time: 0, correlationId: 'x' };
  const now = encodeEvent({ type: WeightsUpdated.type, data: { ...data, batches: 3 } }, context);
  const headers = { ...now.headers, ce_type: 'whale.weights.updated.v1' };
  return { now, before: { ...now, headers, value: JSON.stringify(data) } };
}

test('T1: a record of an old version reaches the handler as the newest, and once with one of the new version', async () => {
  const platform = await temporaryPlatform();
  const service = await startService(listening, platform, {});
  onTestFinished(() => service.stop());
  const [first, second, third] = [updated(1), updated(2), updated(3)];
  await platform.log.append([first.before, first.now, second.now, second.before, third.before]);
  await vi.waitFor(() => expect(heard.at(-1)?.id).toBe(third.before.headers['ce_id']), 10_000);
  expect(heard.map(({ event }) => [event.type, event.data.step, event.data.batches])).toEqual([
    ['whale.weights.updated.v2', 1, null],
    ['whale.weights.updated.v2', 2, 3],
    ['whale.weights.updated.v2', 3, null],
  ]);
  expect(platform.troubles).toEqual([]);
});
