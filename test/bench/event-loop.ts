// How long the services' event loop stalls while the embedded model samples and trains in its worker threads.
// Hosts all six services in this process on a fresh log and runs one spec to its end.
//
//   npx tsx test/bench/event-loop.ts [SPEC]
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { encodeEvent, experimentIdOf, parseSpec } from '@whale/contracts';
import { archiveService } from '@whale/app-archive';
import { proposerService } from '@whale/app-proposer';
import { rolloutService } from '@whale/app-rollout';
import { schedulerService } from '@whale/app-scheduler';
import { trainerGatewayService } from '@whale/app-trainer-gateway';
import { verifierService } from '@whale/app-verifier';
import { embedded, openPlatform } from '@whale/service-host';
import { startService, type RunningService, type ServiceDefinition } from '@whale/service-kit';
import { parse } from 'yaml';
import { scratchFolder } from '../support/whale-process.ts';

const RESOLUTION_MS = 2;
const file = process.argv[2] ?? 'examples/atlas-small.yaml';
const spec = parseSpec(parse(readFileSync(file, 'utf8')), file);
const experimentId = experimentIdOf(spec);
const folder = scratchFolder('event-loop');
const platform = await openPlatform(embedded(folder.path), (service, message) =>
  console.error(`${service}: ${message}`),
);

const services: readonly ServiceDefinition[] = [
  schedulerService,
  rolloutService,
  verifierService,
  trainerGatewayService,
  proposerService,
  archiveService,
];
const running: RunningService[] = [];
for (const service of services) running.push(await startService(service, platform, process.env));

const stalls = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let phase = 'evaluation';
const report = () => {
  const [max, p99] = [stalls.max, stalls.percentile(99)].map((nanoseconds) => (nanoseconds / 1e6).toFixed(0));
  console.log(`${phase.padEnd(12)} longest stall ${max} ms, 99th percentile ${p99} ms`);
  stalls.reset();
};
const submitted = { type: 'whale.experiment.submitted.v1', data: { experimentId, spec } } as const;
await platform.log.append([
  encodeEvent(submitted, { source: 'whale/console', time: Date.now(), correlationId: experimentId }),
]);
stalls.enable();
await new Promise<void>((done, failed) => {
  platform.log
    .subscribe({
      group: 'event-loop-bench',
      topics: ['whale.schedule.v1'],
      checkpoint: () => undefined,
      onBatch: async ({ records }) => {
        for (const record of records) {
          const type = record.headers['ce_type'];
          if (type === 'whale.phase.started.v1') {
            report();
            phase = (JSON.parse(record.value) as { kind: string }).kind;
          }
          if (type === 'whale.phase.ended.v1') {
            report();
            phase = 'evaluation';
          }
          if (type === 'whale.experiment.ended.v1') done();
        }
      },
    })
    .catch(failed);
});
report();
for (const service of running.reverse()) await service.stop();
await platform.close();
folder.remove();
