import { Module, type DynamicModule } from '@nestjs/common';
import { closing, WORK_HANDLERS, type ServiceDefinition } from '@whale/service-kit';
import { EmbeddedTrainer } from '@whale/trainer-embedded';
import { trainerGatewayConfig, type TrainerGatewayConfig } from './config.ts';
import { subscriptions } from './subscriptions.ts';
import { TrainerGatewayReactor } from './trainer-gateway.reactor.ts';
import { trainWork } from './trainer-gateway.work.ts';

@Module({})
class TrainerGatewayModule {}

export const trainerGatewayService: ServiceDefinition<TrainerGatewayConfig> = {
  name: 'trainer-gateway',
  subscriptions,
  config: trainerGatewayConfig,
  module: ({ blobs, serviceStore }): DynamicModule => {
    const trainer = new EmbeddedTrainer({ blobs });
    return {
      module: TrainerGatewayModule,
      controllers: [TrainerGatewayReactor],
      providers: [{ provide: WORK_HANDLERS, useValue: [trainWork(serviceStore, trainer)] }, closing(trainer)],
    };
  },
};
