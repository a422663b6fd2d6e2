import { Module, type DynamicModule } from '@nestjs/common';
import { WORK_HANDLERS, type ServiceDefinition } from '@whale/service-kit';
import { ArchiveReactor } from './archive.reactor.ts';
import { archiveConfig, type ArchiveConfig } from './config.ts';
import { projections } from './projections/index.ts';
import { subscriptions } from './subscriptions.ts';

@Module({})
class ArchiveModule {}

export const archiveService: ServiceDefinition<ArchiveConfig> = {
  name: 'archive',
  subscriptions,
  projections,
  config: archiveConfig,
  module: (): DynamicModule => ({
    module: ArchiveModule,
    controllers: [ArchiveReactor],
    providers: [{ provide: WORK_HANDLERS, useValue: [] }],
  }),
};
