export { verifierService } from './verifier.module.ts';
