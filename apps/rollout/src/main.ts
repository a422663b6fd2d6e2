import { runServiceProcess } from '@whale/service-host';
import { rolloutService } from './rollout.module.ts';

await runServiceProcess([rolloutService]);
