import type { ServiceName, Spec } from '@whale/contracts';
import { domainLimits, loadDomain } from '@whale/domain-loader';
import { InputError } from '@whale/kernel';
import { whileUserCodeRuns } from '../checks/while-user-code-runs.ts';

/**
 * Everything that must be there before anything is written: the domain, θ₀ and its tokenizer. Throws InputError that
 * names the spec file where the domain or the proposer refuses what the spec says, and EnvironmentError for what the
 * proposer lacks where it runs in this process.
 */
export async function preflight(spec: Spec, file: string, hosted: readonly ServiceName[]): Promise<void> {
  const limits = domainLimits(process.env);
  try {
    await whileUserCodeRuns(`the domain ${spec.domain.name}`, () => loadDomain(spec.domain, limits));
    if (hosted.includes('proposer')) {
      const { checkProposer } = await import('@whale/app-proposer');
      await whileUserCodeRuns('the proposer', () => checkProposer(spec.proposer, process.env));
    }
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause;
    throw new InputError(`${file} is not a valid experiment spec:\n${cause.message.replace(/^/gm, '  ')}`, { cause });
  }
  if (spec.policy.kind === 'embedded') {
    const { loadTheta0, loadTokenizer } = await import('@whale/embedded-lm');
    await loadTheta0();
    await loadTokenizer();
  }
}
