export { trainerGatewayService } from './trainer-gateway.module.ts';
