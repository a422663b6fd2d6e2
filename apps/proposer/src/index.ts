export { proposerService } from './proposer.module.ts';
