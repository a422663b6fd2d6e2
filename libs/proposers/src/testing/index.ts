export { contractRequest, proposerContract, type ProposerContractInput } from './contract-suite.ts';
export { bareSession, drive, type Driven } from './drive.ts';
export { RecordedSession, type RecordedSessionOptions } from './recorded-session.ts';
