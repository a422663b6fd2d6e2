import { describe, it, type SuiteOptions } from 'vitest';
import { brokerAvailability, kafkaJars } from './distribution.ts';

export { Certificates, opensslIsHere } from './certificates.ts';
export { sharedBroker, sharedSecuredBroker, type SecuredBroker, type SharedBroker } from './shared-broker.ts';

/** Of a test, in which a broker may have to start on a busy machine. */
const LIMIT_MS = 120_000;

/**
 * A suite that needs a broker: `sharedBroker`, or one of its own by `startBroker`. Where none can be had it is skipped,
 * with a line that says why; with `CI` set it fails instead when Java and Maven are here but fetch no Kafka.
 */
export function describeKafka(
  name: string,
  define: () => void | Promise<void>,
  options: Pick<SuiteOptions, 'concurrent' | 'timeout'> = {},
): void {
  describe(name, { timeout: LIMIT_MS, ...options }, async () => {
    const why = await whyNone();
    if (why === null) return define();
    console.log(`skipped: ${name} (${why})`);
    it.skip(`needs a Kafka broker: ${why}`);
  });
}

async function whyNone(): Promise<string | null> {
  const availability = brokerAvailability();
  if (!availability.available) return availability.why;
  if (availability.how !== 'java') return null;
  try {
    await kafkaJars(console.log);
    return null;
  } catch (error) {
    if (process.env['CI']) throw error;
    return (error as Error).message;
  }
}
