export { isListedAs } from './check-shape.ts';
export { domainLimits, type DomainLimits } from './limits.ts';
export { loadDomain } from './load-domain.ts';
