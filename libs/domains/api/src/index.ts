export {
  MOST_RESULT_BYTES,
  type ComponentVariant,
  type Domain,
  type DomainModule,
  type DomainTools,
  type DomainVerdict,
  type Task,
  type VerifyInput,
} from './domain.ts';
export { gradeToOutcome } from './outcome.ts';
export { regionsOf, withVariant, type Region } from './regions.ts';
