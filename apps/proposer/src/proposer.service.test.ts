import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeRecord, encodeEvent, TOPICS, type DomainEvent, type EventEnvelope } from '@whale/contracts';
import { loadDomain } from '@whale/domain-loader';
import { embedded, openPlatform, type OpenPlatform } from '@whale/service-host';
import { startService } from '@whale/service-kit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { proposerService } from './proposer.module.ts';
import { candidatesRequested, harnessScored } from './testing/requests.ts';

const TOPIC = 'whale.harnesses.v1';
const trouble: string[] = [];

async function started() {
  const folder = await mkdtemp(join(tmpdir(), 'whale-proposer-'));
  const platform = await openPlatform(embedded(folder), (_, message) => trouble.push(message));
  const service = await startService(proposerService, platform, {});
  onTestFinished(async () => {
    await service.stop();
    await platform.close();
    await rm(folder, { recursive: true, force: true });
  });
  const domain = await loadDomain({ name: 'search-qa', dataset: 'atlas', options: {} });
  const { uri, sha256: id, bytes } = await platform.blobs.put(new TextEncoder().encode(domain.seedHarness));
  return { platform, h0: { id, uri, bytes } };
}

async function append({ log }: OpenPlatform, ...events: DomainEvent[]): Promise<void> {
  await log.append(events.map((event) => encodeEvent(event, { source: 'test', time: 0, correlationId: 'exp-1' })));
}

async function written({ log, blobs }: OpenPlatform): Promise<EventEnvelope[]> {
  const envelopes: EventEnvelope[] = [];
  for (let partition = 0; partition < TOPICS[TOPIC].partitions; partition++) {
    for await (const record of log.read({ topic: TOPIC, partition, from: 0 })) {
      envelopes.push(await decodeRecord(record, (ref) => blobs.get(ref)));
    }
  }
  return envelopes;
}

describe('the proposer service', () => {
  it('waits for the scores that the request names, then writes one batch, the same whatever else it has seen', async () => {
    const runs = [];
    for (const others of [[], [harnessScored('9'.repeat(64), { evaluationId: 'evaluation-9', iteration: 4 })]]) {
      const { platform, h0 } = await started();
      const scored = harnessScored(h0.id);
      await append(platform, candidatesRequested(h0, [scored.data]), ...others);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await written(platform)).toEqual([]);

      await append(platform, scored);
      await vi.waitFor(async () => expect(await written(platform)).toHaveLength(3), { timeout: 25_000, interval: 50 });
      const events = await written(platform);
      expect(events.map(({ event }) => event.type)).toEqual(Array(3).fill('whale.harness.proposed.v1'));
      runs.push(events.map(({ id, event }) => ({ id, event })));
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(trouble).toEqual([]);
  }, 60_000);
});
