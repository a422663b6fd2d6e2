import { sha256 } from '@whale/kernel';
import { SandboxError } from '../errors.ts';
import { HarnessSandbox } from '../harness-sandbox.ts';
import { harnessTypes } from '../harness-types.ts';
import { HarnessLimits } from '../limits.ts';
import type { Problem, StaticStage } from './protocol.ts';
import { smoke, type SmokeRun } from './smoke.ts';
import { StaticChecker } from './static-checker.ts';

export interface CheckOptions {
  /** `Domain.harnessTypes`. */
  domainTypes?: string;
  /** Executed in the sandbox, in order, until one fails. */
  smoke?: readonly SmokeRun[];
  /** UTF-8 bytes. */
  sourceBytes?: number;
}

export type CheckResult =
  | { ok: true; harnessId: string }
  | ({
      ok: false;
      stage: 'size' | StaticStage | 'smoke';
      /** Further problems of the same stage. */
      more?: Problem[];
    } & Problem);

export interface HarnessCheckerOptions {
  /** For smoke runs; one of its own, with one worker, if not given. */
  sandbox?: HarnessSandbox;
  /** Wall time in ms of one type check, past which the candidate is refused. */
  checkMillis?: number;
}

/**
 * Checks a candidate before it costs a rollout: size, parse, structure, types, smoke. A candidate's code executes
 * nowhere but in the sandbox. Threads start with the first check that needs them.
 */
export class HarnessChecker {
  readonly #static: StaticChecker;
  readonly #given: HarnessSandbox | undefined;
  #own: HarnessSandbox | undefined;

  constructor(options: HarnessCheckerOptions = {}) {
    this.#given = options.sandbox;
    this.#static = new StaticChecker(options.checkMillis);
  }

  /** Rejects with a SandboxError: DOMAIN_TYPES for declarations that do not compile, CHECKER for a failed thread. */
  async check(source: string, options: CheckOptions = {}): Promise<CheckResult> {
    const { domainTypes = '', sourceBytes = HarnessLimits.parse({}).sourceBytes } = options;
    const bytes = Buffer.byteLength(source);
    if (bytes > sourceBytes) {
      const message = `the source has ${bytes} bytes; at most ${sourceBytes} are allowed`;
      return { ok: false, stage: 'size', message };
    }
    if (source.trim() === '') return { ok: false, stage: 'size', message: 'the source is empty' };
    const verdict = await this.#static.check({ source, harnessTypes: harnessTypes(), domainTypes });
    if (verdict.kind === 'domain') {
      const { line, message } = verdict.problem;
      throw new SandboxError('DOMAIN_TYPES', `the domain's harness types do not compile: line ${line}: ${message}`);
    }
    if (verdict.kind === 'rejected') {
      const [first, ...more] = verdict.problems;
      if (first === undefined) throw new SandboxError('CHECKER', 'a rejection without a problem');
      return { ok: false, stage: verdict.stage, ...first, ...(more.length === 0 ? {} : { more }) };
    }
    for (const run of options.smoke ?? []) {
      const problem = await smoke(this.#sandbox(), source, run);
      if (problem !== undefined) return { ok: false, stage: 'smoke', ...problem };
    }
    return { ok: true, harnessId: sha256(source) };
  }

  async close(): Promise<void> {
    await Promise.all([this.#static.close(), this.#own?.close()]);
  }

  #sandbox(): HarnessSandbox {
    return this.#given ?? (this.#own ??= new HarnessSandbox());
  }
}

/** One check with threads of its own, for the command line. Many checks: keep a HarnessChecker, it is warm. */
export async function checkHarness(source: string, options: CheckOptions = {}): Promise<CheckResult> {
  const checker = new HarnessChecker();
  try {
    return await checker.check(source, options);
  } finally {
    await checker.close();
  }
}
