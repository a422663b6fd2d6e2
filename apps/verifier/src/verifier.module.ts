import { Module, type DynamicModule } from '@nestjs/common';
import { loadDomain } from '@whale/domain-loader';
import { WORK_HANDLERS, type ServiceDefinition } from '@whale/service-kit';
import { verifierConfig, type VerifierConfig } from './config.ts';
import { subscriptions } from './subscriptions.ts';
import { VerifierReactor } from './verifier.reactor.ts';
import { verifyWork } from './verifier.work.ts';

@Module({})
class VerifierModule {}

export const verifierService: ServiceDefinition<VerifierConfig> = {
  name: 'verifier',
  subscriptions,
  config: verifierConfig,
  module: (_platform, config): DynamicModule => {
    const verify = verifyWork((spec) => loadDomain(spec, config.domain), config.concurrency);
    return {
      module: VerifierModule,
      controllers: [VerifierReactor],
      providers: [{ provide: WORK_HANDLERS, useValue: [verify] }],
    };
  },
};
