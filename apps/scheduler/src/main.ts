import { runServiceProcess } from '@whale/service-host';
import { schedulerService } from './scheduler.module.ts';

await runServiceProcess([schedulerService]);
