import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { appendContract } from './contract-append.ts';
import { deliveryContract } from './contract-delivery.ts';
import { memberContract } from './contract-members.ts';
import { orderContract } from './contract-order.ts';
import { Fixture } from './fixture.ts';
import { statusContract } from './contract-status.ts';
import type { LogHarness } from './harness.ts';

/** No test may hang longer, however slow the adapter's `settleMs` makes it. */
const TEST_TIMEOUT_MS = 180_000;

/** Gives a test its fixture: only to be called inside a test. */
export type CurrentFixture = () => Fixture;

/**
 * What every adapter of the log must do, the same for all: to be called at the top of a test file. The adapters may
 * differ in `settleMs` and in nothing else.
 */
export function eventLogContract(name: string, makeHarness: () => Promise<LogHarness>): void {
  describe(`event log contract: ${name}`, { timeout: TEST_TIMEOUT_MS }, () => {
    let harness: LogHarness;
    let fixture: Fixture;
    beforeAll(async () => {
      harness = await makeHarness();
    }, TEST_TIMEOUT_MS);
    afterAll(() => harness.dispose(), TEST_TIMEOUT_MS);
    beforeEach(() => {
      fixture = new Fixture(harness);
    });
    afterEach(() => fixture.cleanUp(), TEST_TIMEOUT_MS);

    appendContract(() => fixture);
    orderContract(() => fixture);
    deliveryContract(() => fixture);
    memberContract(() => fixture);
    statusContract(() => fixture);
  });
}
