export { checkProposer } from './preflight.ts';
export { proposerService } from './proposer.module.ts';
