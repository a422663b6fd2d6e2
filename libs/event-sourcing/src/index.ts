export { runToFixpoint, type Decider } from './decider.ts';
