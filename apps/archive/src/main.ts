import { runServiceProcess } from '@whale/service-host';
import { archiveService } from './archive.module.ts';

await runServiceProcess([archiveService]);
