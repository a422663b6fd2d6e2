export { rolloutService } from './rollout.module.ts';
