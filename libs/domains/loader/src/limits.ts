import { InputError, LONGEST_TIMER_MS } from '@whale/kernel';
import { z } from 'zod';

/** How long a domain may take, ms. What takes longer is a failure of infrastructure, never of the harness. */
export interface DomainLimits {
  loadMs: number;
  toolMs: number;
  verifyMs: number;
}

const MINUTE = 60_000;

const EXPECTED = `a whole number of ms from 1 to ${LONGEST_TIMER_MS}`;
const milliseconds = z.coerce.number(EXPECTED).int(EXPECTED).min(1, EXPECTED).max(LONGEST_TIMER_MS, EXPECTED);

const Variables = z.object({
  WHALE_DOMAIN_LOAD_TIMEOUT_MS: milliseconds.default(5 * MINUTE),
  WHALE_TOOL_TIMEOUT_MS: milliseconds.default(2 * MINUTE),
  WHALE_VERIFY_TIMEOUT_MS: milliseconds.default(5 * MINUTE),
});

/** Throws InputError that names each variable, its value and what was expected. */
export function domainLimits(environment: NodeJS.ProcessEnv): DomainLimits {
  const parsed = Variables.safeParse(environment);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => {
      const name = String(path[0]);
      return `${name}: expected ${message}, not ${JSON.stringify(environment[name])}`;
    });
    throw new InputError(`the environment is not valid:\n${issues.join('\n')}`);
  }
  return {
    loadMs: parsed.data.WHALE_DOMAIN_LOAD_TIMEOUT_MS,
    toolMs: parsed.data.WHALE_TOOL_TIMEOUT_MS,
    verifyMs: parsed.data.WHALE_VERIFY_TIMEOUT_MS,
  };
}
