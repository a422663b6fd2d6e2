import { causes } from './errors.ts';
import { signInMechanisms } from './listener.ts';
import type { KafkaSettings } from './settings.ts';

/** kafkajs's words and codes for a connection that was made, and ended by the other side before it was of use. */
const HUNG_UP = /Closed connection|ECONNRESET|EPIPE|before secure TLS connection|wrong version number/;

/** Whether a failure may come from a listener of another kind: one that does not answer at all is not of any kind. */
export function wasHungUp(error: unknown): boolean {
  return causes(error).some(({ code, message }) => HUNG_UP.test(`${String(code)} ${String(message)}`));
}

/**
 * What the settings take the brokers for and they are not, with what to set instead; undefined when that cannot be
 * told. A broker hangs up on clients that speak TLS to a listener without, the reverse, and on those that skip SASL.
 */
export async function mistakenListener({
  brokers,
  tls,
  sasl,
}: Pick<KafkaSettings, 'brokers' | 'tls' | 'sasl'>): Promise<string | undefined> {
  for (const broker of brokers) {
    const mechanisms = await signInMechanisms(broker, tls !== null);
    if (mechanisms !== undefined) {
      if (sasl !== null || mechanisms.length === 0) continue;
      const known = mechanisms.map((name) => name.toLowerCase()).sort();
      return `${broker} lets in known users only: set WHALE_KAFKA_SASL_MECHANISM (there: ${known.join(', ')}), WHALE_KAFKA_USERNAME and WHALE_KAFKA_PASSWORD`;
    }
    if ((await signInMechanisms(broker, tls === null)) === undefined) continue;
    return tls === null
      ? `${broker} speaks TLS: expected kafkas:// in place of kafka://, or a port without TLS`
      : `${broker} does not speak TLS: expected kafka:// in place of kafkas://, or the port for TLS`;
  }
  return undefined;
}
