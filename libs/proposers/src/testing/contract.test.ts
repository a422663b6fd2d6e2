import { loadDomain } from '@whale/domain-loader';
import { HarnessChecker } from '@whale/harness-sandbox';
import { afterAll } from 'vitest';
import { Random } from '../random/random.ts';
import { Recombine } from '../recombine/recombine.ts';
import { proposerContract, type ProposerContractInput } from './contract-suite.ts';

const checker = new HarnessChecker();
afterAll(() => checker.close());

const shared: Pick<ProposerContractInput, 'domain' | 'checkHarness'> = {
  domain: () =>
    loadDomain({ name: 'search-qa', dataset: 'atlas', options: { weight: 20, harness: 20, validation: 10, test: 10 } }),
  checkHarness: async (source, { harnessTypes }) => {
    const result = await checker.check(source, { domainTypes: harnessTypes });
    return result.ok ? [] : [`${result.stage}: ${result.message}`];
  },
};

proposerContract({ ...shared, name: 'recombine', spec: { kind: 'recombine' }, proposer: () => new Recombine() });
proposerContract({ ...shared, name: 'random', spec: { kind: 'random' }, proposer: () => new Random() });
