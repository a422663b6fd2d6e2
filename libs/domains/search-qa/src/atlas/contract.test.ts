import { withVariant } from '@whale/domain-api';
import { domainContract } from '@whale/domain-api/testing';
import { expect, it } from 'vitest';
import { typeErrors } from '../../tools/type-check.ts';
import searchQa from '../index.ts';
import { components, seedHarness } from './components.ts';

domainContract({ module: searchQa, dataset: 'atlas', tools: ['search'] });

it('h₀ and every single exchange pass a strict type check, and the check can fail', () => {
  const swapped = components.map((one): [string, string] => [`${one.slot}:${one.name}`, withVariant(seedHarness, one)]);
  const sources = new Map([['h0', seedHarness], ...swapped]);
  expect(typeErrors(sources)).toEqual([]);
  expect(typeErrors(new Map([['bad', seedHarness.replace('k: 3', "k: '3'")]]))).toHaveLength(1);
});
