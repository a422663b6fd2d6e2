import { afterAll, beforeAll, describe, it } from 'vitest';
import { appendContract } from './contract-append.ts';
import { deliveryContract } from './contract-delivery.ts';
import { memberContract } from './contract-members.ts';
import { orderContract } from './contract-order.ts';
import { Fixture } from './fixture.ts';
import { statusContract } from './contract-status.ts';
import type { LogHarness } from './harness.ts';

/** No test may hang longer, however slow the adapter's `settleMs` makes it. */
const TEST_TIMEOUT_MS = 180_000;

/** Declares a test that gets a fixture of its own. */
export type ContractTest = (name: string, body: (fixture: Fixture) => Promise<void>) => void;

/**
 * What every adapter of the log must do, the same for all: to be called at the top of a test file. The adapters may
 * differ in `settleMs` and in nothing else. The tests wait more than they work, so several run at the same time; each
 * has topics and groups of its own.
 */
export function eventLogContract(name: string, makeHarness: () => Promise<LogHarness>): void {
  describe(`event log contract: ${name}`, { timeout: TEST_TIMEOUT_MS, concurrent: true }, () => {
    let harness: LogHarness;
    beforeAll(async () => {
      harness = await makeHarness();
    }, TEST_TIMEOUT_MS);
    afterAll(() => harness.dispose(), TEST_TIMEOUT_MS);
    const test: ContractTest = (what, body) => {
      it(what, async () => {
        const fixture = new Fixture(harness);
        try {
          await body(fixture);
        } finally {
          await fixture.cleanUp();
        }
      });
    };
    for (const part of [appendContract, orderContract, deliveryContract, memberContract, statusContract]) part(test);
  });
}
