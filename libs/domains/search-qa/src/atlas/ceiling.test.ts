import type { Domain } from '@whale/domain-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { combine, measure } from '../../tools/measure.ts';
import searchQa from '../index.ts';

/** 100 test tasks of the default world; the readers are scripted, so the shares are exact, not estimates. */
let domain: Domain;
const share = async (kind: 'perfect' | 'careless', names = '', count = 100) =>
  (await measure(domain, combine(domain, names), kind, count)).reward;

beforeAll(async () => {
  domain = await searchQa.load({ dataset: 'atlas', options: {} });
});

const BEST =
  'query:terse search:eight ranking:own-page-no-stale packaging:dated-three memory:latest-tidy loop:by-hops prompts:careful finish:first-name';

describe('what harnesses can reach', () => {
  it('h₀ holds even a perfect reader well below the best harness', async () => {
    expect(await share('perfect')).toBeGreaterThan(0.35);
    expect(await share('perfect')).toBeLessThan(0.55);
    expect(await share('perfect', BEST)).toBeGreaterThan(0.85);
  });

  it('a careless reader on h₀ starts low, yet high enough to learn from', async () => {
    expect(await share('careless')).toBeGreaterThan(0.12);
    expect(await share('careless')).toBeLessThan(0.32);
  });

  it('no single exchange comes near the best, and several slots help each by itself', async () => {
    const count = 60;
    const base = await share('careless', '', count);
    const best = await share('careless', BEST, count);
    const helpful = new Set<string>();
    for (const { slot, name } of domain.components) {
      const reached = await share('careless', `${slot}:${name}`, count);
      expect(reached, `${slot}:${name}`).toBeLessThan(base + (best - base) / 2);
      if (reached > base + 0.02) helpful.add(slot);
    }
    expect(helpful.size).toBeGreaterThanOrEqual(4);
  });

  it('some variants help only beside another: twenty results need a packaging that fits', async () => {
    expect(await share('perfect', 'search:twenty')).toBe(0);
    const fitted = 'search:twenty ranking:own-page-no-stale packaging:dated-three';
    expect(await share('perfect', fitted)).toBeGreaterThan(await share('perfect'));
    expect(await share('perfect', 'search:eight packaging:dated-three')).toBeLessThanOrEqual(
      await share('perfect', 'search:eight ranking:own-page-no-stale packaging:dated-three'),
    );
  });

  it('eight results over two searches need a memory that forgets', async () => {
    const forgetful = await share('perfect', 'search:eight loop:by-hops memory:latest');
    expect(forgetful).toBeGreaterThan((await share('perfect', 'search:eight loop:by-hops')) + 0.1);
  });

  it('some variants harm', async () => {
    const base = await share('careless');
    for (const names of ['prompts:wordy', 'query:names', 'search:two', 'search:twenty']) {
      expect(await share('careless', names), names).toBeLessThan(base);
    }
  });
});
