import { Module, type DynamicModule } from '@nestjs/common';
import { loadDomain } from '@whale/domain-loader';
import { HarnessChecker } from '@whale/harness-sandbox';
import { Recombine } from '@whale/proposers';
import { closing, WORK_HANDLERS, type ServiceDefinition } from '@whale/service-kit';
import { proposerConfig, type ProposerConfig } from './config.ts';
import { ProposerReactor } from './proposer.reactor.ts';
import { proposeWork } from './proposer.work.ts';
import { subscriptions } from './subscriptions.ts';

@Module({})
class ProposerModule {}

export const proposerService: ServiceDefinition<ProposerConfig> = {
  name: 'proposer',
  subscriptions,
  config: proposerConfig,
  module: ({ blobs, serviceStore }, config): DynamicModule => {
    const checker = new HarnessChecker();
    const proposers = { recombine: new Recombine() };
    const parts = { proposers, checker, blobs, loadDomain, store: serviceStore };
    return {
      module: ProposerModule,
      controllers: [ProposerReactor],
      providers: [{ provide: WORK_HANDLERS, useValue: [proposeWork(parts, config.concurrency)] }, closing(checker)],
    };
  },
};
