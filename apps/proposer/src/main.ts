import { runServiceProcess } from '@whale/service-host';
import { proposerService } from './proposer.module.ts';

await runServiceProcess([proposerService]);
