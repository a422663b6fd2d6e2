import { runServiceProcess } from '@whale/service-host';
import { trainerGatewayService } from './trainer-gateway.module.ts';

await runServiceProcess([trainerGatewayService]);
