import { Module, type DynamicModule } from '@nestjs/common';
import { loadDomain } from '@whale/domain-loader';
import { HarnessSandbox } from '@whale/harness-sandbox';
import { EmbeddedPolicy } from '@whale/policy-embedded';
import { closing, WORK_HANDLERS, type ServiceDefinition } from '@whale/service-kit';
import { rolloutConfig, type RolloutConfig } from './config.ts';
import { RolloutReactor } from './rollout.reactor.ts';
import { rolloutWork } from './rollout.work.ts';
import type { RolloutParts } from './run-rollout.ts';
import { subscriptions } from './subscriptions.ts';

@Module({})
class RolloutModule {}

export const rolloutService: ServiceDefinition<RolloutConfig> = {
  name: 'rollout',
  subscriptions,
  config: rolloutConfig,
  module: ({ blobs }, config): DynamicModule => {
    const policy = new EmbeddedPolicy({ blobs, workers: config.policyWorkers });
    const sandbox = new HarnessSandbox({ workers: config.sandboxWorkers });
    const parts: RolloutParts = { policy, sandbox, blobs, loadDomain: (spec) => loadDomain(spec, config.domain) };
    return {
      module: RolloutModule,
      controllers: [RolloutReactor],
      providers: [
        {
          provide: WORK_HANDLERS,
          useValue: [rolloutWork(parts, config.concurrency)],
        },
        closing(policy, sandbox),
      ],
    };
  },
};
