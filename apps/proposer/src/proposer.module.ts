import { Module, type DynamicModule } from '@nestjs/common';
import type { ProposerKind } from '@whale/contracts';
import { loadDomain } from '@whale/domain-loader';
import { HarnessChecker, HarnessSandbox } from '@whale/harness-sandbox';
import { Claude, Command, Module as UserModule, Random, Recombine, type Proposer } from '@whale/proposers';
import { closing, WORK_HANDLERS, type ServiceDefinition } from '@whale/service-kit';
import { proposerConfig, type ProposerConfig } from './config.ts';
import { ProposerReactor } from './proposer.reactor.ts';
import { proposeWork } from './proposer.work.ts';
import { WorkspaceSources } from './session/workspace-sources.ts';
import { subscriptions } from './subscriptions.ts';

@Module({})
class ProposerModule {}

function proposersOf({ anthropicKey, environment }: ProposerConfig): Record<ProposerKind, Proposer> {
  return {
    recombine: new Recombine(),
    random: new Random(),
    claude: new Claude({ apiKey: anthropicKey }),
    module: new UserModule(),
    command: new Command({ environment }),
  };
}

export const proposerService: ServiceDefinition<ProposerConfig> = {
  name: 'proposer',
  subscriptions,
  config: proposerConfig,
  module: ({ log, blobs, serviceStore, onTrouble }, config): DynamicModule => {
    const sandbox = new HarnessSandbox();
    const checker = new HarnessChecker({ sandbox });
    const sources = new WorkspaceSources({ log, blobs });
    const parts = {
      proposers: proposersOf(config),
      checker,
      blobs,
      loadDomain,
      store: serviceStore,
      sandbox,
      source: (experimentId: string) => sources.of(experimentId),
    };
    return {
      module: ProposerModule,
      controllers: [ProposerReactor],
      providers: [
        {
          provide: WORK_HANDLERS,
          useValue: [proposeWork(parts, config.concurrency, (...told) => onTrouble('proposer', ...told))],
        },
        closing(checker, sandbox),
      ],
    };
  },
};
