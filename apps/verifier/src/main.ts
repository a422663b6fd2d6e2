import { runServiceProcess } from '@whale/service-host';
import { verifierService } from './verifier.module.ts';

await runServiceProcess([verifierService]);
