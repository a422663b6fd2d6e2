import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveService } from '@whale/app-archive';
import { schedulerService } from '@whale/app-scheduler';
import {
  decodeRecord,
  encodeEvent,
  experimentIdOf,
  parseSpec,
  TOPIC_NAMES,
  type AnyEvent,
  type DomainEvent,
  type SpecInput,
} from '@whale/contracts';
import { embedded, openPlatform, type OpenPlatform } from '@whale/service-host';
import { startService, type RunningService, type ServiceDefinition } from '@whale/service-kit';
import { vi } from 'vitest';
import { ScriptedWorld } from '@whale/experiment-view/support';

const SPEC: SpecInput = {
  name: 'rebuilt',
  domain: { name: 'search-qa', dataset: 'atlas', options: { weight: 12, harness: 4, validation: 4, test: 6 } },
  strategy: { kind: 'fixed', cycles: 2, weight: { epochs: 0.7 }, harness: { iterations: 2 } },
  weight: { promptsPerStep: 4, rolloutsPerPrompt: 2 },
  harness: { candidates: 2 },
  evaluation: { rolloutsPerTask: 2, validationRolloutsPerTask: 1 },
};

/** The real scheduler and archive on a data folder; a script stands in for rollout, verifier, trainer and proposer. */
export class ScriptedServices {
  readonly data: string;
  readonly experimentId: string;
  readonly #spec: ReturnType<typeof parseSpec>;
  #platform: OpenPlatform | null = null;
  #stop: (() => Promise<void>)[] = [];

  private constructor(data: string, spec: SpecInput) {
    this.data = data;
    this.#spec = parseSpec(spec, 'scripted.yaml');
    this.experimentId = experimentIdOf(this.#spec);
  }

  static async inNewFolder(overrides: Partial<SpecInput> = {}): Promise<ScriptedServices> {
    return new ScriptedServices(await newFolder(), { ...SPEC, ...overrides });
  }

  /** The same data in another folder. Nothing may be running. */
  async copy(): Promise<ScriptedServices> {
    const data = await newFolder();
    await cp(this.data, data, { recursive: true });
    return new ScriptedServices(data, this.#spec);
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.data, { recursive: true, force: true });
  }

  get platform(): OpenPlatform {
    if (!this.#platform) throw new Error('not running');
    return this.#platform;
  }

  /** Starts, or goes on after `stop`. */
  async start(): Promise<void> {
    const platform = await openPlatform(embedded(this.data));
    this.#platform = platform;
    for (const definition of [archiveService, schedulerService] as ServiceDefinition<unknown>[]) {
      const service: RunningService = await startService(definition, platform, {});
      this.#stop.push(() => service.stop());
    }
    await this.#playTheOthers();
  }

  async submit(): Promise<void> {
    await this.append({
      type: 'whale.experiment.submitted.v1',
      data: { experimentId: this.experimentId, spec: this.#spec },
    });
  }

  async append(...events: AnyEvent[]): Promise<void> {
    const context = { source: 'test', time: Date.now(), correlationId: this.experimentId };
    await this.platform.log.append(events.map((event) => encodeEvent(event as DomainEvent, context)));
  }

  /** Stops as a process does that is told to: what is handled is committed, the rest comes at the next start. */
  async stop(): Promise<void> {
    for (const stop of this.#stop.reverse()) await stop();
    this.#stop = [];
    await this.#platform?.close();
    this.#platform = null;
  }

  /** Ids on the log by type, as often as they are there. */
  async ids(...types: AnyEvent['type'][]): Promise<string[]> {
    const ids: string[] = [];
    for (const { topic, partition } of await this.platform.log.heads(TOPIC_NAMES)) {
      for await (const { headers } of this.platform.log.read({ topic, partition, from: 0 })) {
        if (types.includes(headers['ce_type'] as AnyEvent['type'])) ids.push(headers['ce_id'] as string);
      }
    }
    return ids;
  }

  async until(type: AnyEvent['type'], count = 1): Promise<void> {
    await vi.waitFor(
      async () => {
        if ((await this.ids(type)).length < count) throw new Error(`no ${count} × ${type} yet`);
      },
      { timeout: 30_000, interval: 50 },
    );
  }

  async #playTheOthers(): Promise<void> {
    const { log, blobs } = this.platform;
    const world = new ScriptedWorld(this.experimentId, this.#spec, { infrastructure: 0.1 });
    const subscription = await log.subscribe({
      group: 'scripted',
      topics: ['whale.schedule.v1', 'whale.rollout-requests.v1'],
      // From the beginning at each start: answers come twice under the same ids.
      checkpoint: () => undefined,
      onBatch: async ({ records }) => {
        for (const record of records) {
          const { event } = await decodeRecord(record, (ref) => blobs.get(ref));
          const answers = world.answers(event);
          if (answers.length > 0) await this.append(...answers);
        }
      },
    });
    this.#stop.push(() => subscription.stop());
  }
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'whale-rebuild-'));
}
