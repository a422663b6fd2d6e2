export { EmbeddedPolicy, type EmbeddedPolicyOptions } from './embedded-policy.ts';
