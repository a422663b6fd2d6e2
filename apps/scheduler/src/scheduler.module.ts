import { Module, type DynamicModule } from '@nestjs/common';
import { loadDomain } from '@whale/domain-loader';
import { loadTheta0 } from '@whale/embedded-lm';
import { WORK_HANDLERS, type ServiceDefinition } from '@whale/service-kit';
import { schedulerConfig, type SchedulerConfig } from './config.ts';
import { projections } from './projections/index.ts';
import { SchedulerReactor, START_PARTS } from './scheduler.reactor.ts';
import type { StartParts } from './start-experiment.ts';
import { subscriptions } from './subscriptions.ts';

@Module({})
class SchedulerModule {}

export const schedulerService: ServiceDefinition<SchedulerConfig> = {
  name: 'scheduler',
  subscriptions,
  projections,
  config: schedulerConfig,
  module: ({ blobs }): DynamicModule => {
    const parts: StartParts = { blobs, loadDomain, loadInitialWeights: loadTheta0 };
    return {
      module: SchedulerModule,
      controllers: [SchedulerReactor],
      providers: [
        { provide: START_PARTS, useValue: parts },
        { provide: WORK_HANDLERS, useValue: [] },
      ],
    };
  },
};
