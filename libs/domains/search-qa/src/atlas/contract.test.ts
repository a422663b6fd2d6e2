import { domainContract } from '@whale/domain-api/testing';
import searchQa from '../index.ts';
import { typeErrors } from '../../tools/type-check.ts';

domainContract({ module: searchQa, dataset: 'atlas', tools: ['search'], checkHarness: typeErrors });
