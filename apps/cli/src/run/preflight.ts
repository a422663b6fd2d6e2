import type { Spec } from '@whale/contracts';
import { loadDomain } from '@whale/domain-loader';

/** Everything that must be there before anything is written: the domain, θ₀ and its tokenizer. */
export async function preflight(spec: Spec): Promise<void> {
  await loadDomain(spec.domain);
  if (spec.policy.kind === 'embedded') {
    const { loadTheta0, loadTokenizer } = await import('@whale/embedded-lm');
    await loadTheta0();
    await loadTokenizer();
  }
}
