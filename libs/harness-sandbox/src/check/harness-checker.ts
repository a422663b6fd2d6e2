import { InputError, sha256 } from '@whale/kernel';
import { SandboxError } from '../errors.ts';
import { HarnessSandbox } from '../harness-sandbox.ts';
import { harnessTypes } from '../harness-types.ts';
import { HarnessLimits } from '../limits.ts';
import { sameBehaviour, type RecordedRollout } from './behaviour.ts';
import type { Literal, Problem, Questions, StaticStage, StaticVerdict } from './protocol.ts';
import { smoke, type SmokeProblem, type SmokeRun } from './smoke.ts';
import { StaticChecker, Unreadable } from './static-checker.ts';

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
 * Checks a candidate before it costs a rollout: size, parse, structure, types, smoke; and what else there is to know of
 * a source by its syntax or its behaviour. A candidate's code executes nowhere but in the sandbox. Threads start with
 * the first question that needs them.
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
    const verdict = await this.#verdict({ source, harnessTypes: harnessTypes(), domainTypes });
    if (verdict.kind === 'domain') {
      const { line, message } = verdict.problem;
      throw new SandboxError('DOMAIN_TYPES', `the domain's harness types do not compile: line ${line}: ${message}`);
    }
    if (verdict.kind === 'rejected') {
      const [first, ...more] = verdict.problems;
      if (first === undefined) throw new SandboxError('CHECKER', 'a rejection without a problem');
      return { ok: false, stage: verdict.stage, ...first, ...(more.length === 0 ? {} : { more }) };
    }
    const problem = await this.smoke(source, options.smoke ?? []);
    if (problem !== undefined) return { ok: false, stage: 'smoke', ...problem };
    return { ok: true, harnessId: sha256(source) };
  }

  /** The last stage of `check` alone, for a source that has passed the others. */
  async smoke(source: string, runs: readonly SmokeRun[]): Promise<SmokeProblem | undefined> {
    for (const run of runs) {
      const problem = await smoke(this.#sandbox(), source, run);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** The first place where the candidate differs from its parent outside of the strings in PROMPTS. */
  async promptsOnlyProblem(parentSource: string, candidateSource: string): Promise<Problem | undefined> {
    try {
      return await this.#static.ask('promptsOnly', { parent: parentSource, candidate: candidateSource });
    } catch (error) {
      if (error instanceof Unreadable) return { message: error.message };
      throw error;
    }
  }

  /** Equal for two sources that are the same program, differently written down. Rejects with an InputError, see `literalsOf`. */
  normalForm(source: string): Promise<string> {
    return this.#read('normalForm', source);
  }

  /**
   * The texts in a source, in order. Rejects with an InputError for a source that no compiler can read, which `check`
   * refuses; syntax errors do no harm.
   */
  literalsOf(source: string): Promise<Literal[]> {
    return this.#read('literals', source);
  }

  /** See `sameBehaviour`. */
  behavesLike(source: string, recorded: readonly RecordedRollout[]): Promise<boolean> {
    return sameBehaviour(this.#sandbox(), source, recorded);
  }

  async close(): Promise<void> {
    await Promise.all([this.#static.close(), this.#own?.close()]);
  }

  async #verdict(asked: Questions['verdict']['asked']): Promise<StaticVerdict> {
    try {
      return await this.#static.ask('verdict', asked);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const { message, reason } = error;
      if (reason === 'depth') return { kind: 'rejected', stage: 'parse', problems: [{ message }] };
      return { kind: 'rejected', stage: 'types', problems: [{ message, hint: 'simplify the types' }] };
    }
  }

  async #read<Kind extends 'normalForm' | 'literals'>(
    kind: Kind,
    source: string,
  ): Promise<Questions[Kind]['answered']> {
    try {
      return await this.#static.ask(kind, { source });
    } catch (error) {
      throw error instanceof Unreadable ? new InputError(error.message) : error;
    }
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
