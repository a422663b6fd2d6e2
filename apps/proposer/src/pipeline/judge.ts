import type { CheckResult, HarnessChecker, Problem } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import type { Draft, Rejection, RejectionStage } from '@whale/proposers';
import type { View } from '../batch.ts';
import { isPure } from '../session/purity.ts';
import type { Behaviour } from './behaviour.ts';
import { leakIn } from './leak.ts';
import { smokeRuns } from './smoke-runs.ts';

export interface JudgeParts {
  checker: Pick<HarnessChecker, 'check' | 'smoke' | 'promptsOnlyProblem' | 'normalForm' | 'literalsOf'>;
  behaviour: Pick<Behaviour, 'sameAsScored' | 'sameAsMate' | 'take'>;
}

/** A check of the pipeline. Null: passed. Rejects for infrastructure only. */
type Check = (draft: Draft) => Rejection | null | Promise<Rejection | null>;

/**
 * Judges the drafts of one batch, one after the other; the stages are those of RejectionStage, in their order. What a
 * pure proposer writes differs by construction, so it is compared by its text alone.
 */
export class Judge {
  readonly #view: View;
  readonly #parts: JudgeParts;
  /** Ids of what has a score under the present θ, and of the batch's valid candidates. */
  readonly #taken: Set<string>;
  /** The same by what program they are; made when first needed. */
  #programs: Map<string, string> | null = null;
  readonly #checks: readonly Check[];

  constructor(view: View, parts: JudgeParts) {
    this.#view = view;
    this.#parts = parts;
    this.#taken = new Set([...view.scored, view.incumbent.id]);
    const compares = !isPure(view.request.proposer.kind);
    this.#checks = [
      (draft) => this.#known(draft),
      (draft) => this.#parent(draft),
      (draft) => this.#sound(draft),
      ...(view.request.promptsOnly ? [(draft: Draft) => this.#promptsOnly(draft)] : []),
      ({ source }) => leakIn(source, view.domain, parts.checker),
      ...(compares ? [(draft: Draft) => this.#sameProgram(draft)] : []),
      (draft) => this.#smoke(draft),
      ...(compares ? [(draft: Draft) => this.#sameBehaviour(draft)] : []),
    ];
  }

  /** Null: the draft is a valid candidate. */
  async judge(draft: Draft): Promise<Rejection | null> {
    for (const check of this.#checks) {
      const rejection = await check(draft);
      if (rejection !== null) return rejection;
    }
    return null;
  }

  /** The draft is in the batch from now on. */
  async take({ source }: Draft): Promise<void> {
    const id = sha256(source);
    this.#taken.add(id);
    if (isPure(this.#view.request.proposer.kind)) return;
    (await this.#programsTaken()).set(await this.#parts.checker.normalForm(source), id);
    await this.#parts.behaviour.take(source, id);
  }

  #known({ source }: Draft): Rejection | null {
    const id = sha256(source);
    return this.#taken.has(id) ? rejected('duplicate', `${this.#named(id)}: this is it, letter for letter`) : null;
  }

  #parent({ parent }: Draft): Rejection | null {
    if (this.#view.parents.has(parent)) return null;
    return rejected('parent', `the parent ${parent} is neither in the archive nor h₀`);
  }

  async #sound({ source }: Draft): Promise<Rejection | null> {
    const result = await this.#parts.checker.check(source, { domainTypes: this.#view.domain.harnessTypes });
    return result.ok ? null : unsound(result);
  }

  async #promptsOnly({ source, parent }: Draft): Promise<Rejection | null> {
    const problem = await this.#parts.checker.promptsOnlyProblem(this.#view.parents.get(parent) ?? '', source);
    return problem === undefined ? null : problematic('prompts', problem);
  }

  async #sameProgram({ source }: Draft): Promise<Rejection | null> {
    const id = (await this.#programsTaken()).get(await this.#parts.checker.normalForm(source));
    if (id === undefined) return null;
    return rejected('duplicate', `${this.#named(id)}: this is the same program, differently written`);
  }

  async #smoke({ source }: Draft): Promise<Rejection | null> {
    const problem = await this.#parts.checker.smoke(source, smokeRuns(this.#view.domain));
    return problem === undefined ? null : problematic('smoke', problem);
  }

  async #sameBehaviour({ source }: Draft): Promise<Rejection | null> {
    const { behaviour } = this.#parts;
    const scored = await behaviour.sameAsScored(source);
    if (scored !== null) {
      return rejected('behaviour', `${this.#named(scored)}: on its recorded rollouts this one does exactly the same`);
    }
    const mate = await behaviour.sameAsMate(source);
    if (mate === null) return null;
    return rejected('behaviour', `${this.#named(mate)}: on the incumbent's recorded replies this one does the same`);
  }

  async #programsTaken(): Promise<Map<string, string>> {
    if (this.#programs !== null) return this.#programs;
    const programs = new Map<string, string>();
    for (const id of [...this.#view.scored, this.#view.incumbent.id]) {
      const source = this.#view.parents.get(id);
      if (source !== undefined) programs.set(await this.#parts.checker.normalForm(source), id);
    }
    this.#programs = programs;
    return programs;
  }

  #named(id: string): string {
    const has = this.#view.scored.has(id) ? 'has a score already' : 'is in this batch already';
    return `harness ${id.slice(0, 12)} ${id === this.#view.incumbent.id ? 'is the incumbent' : has}`;
  }
}

function rejected(stage: RejectionStage, message: string): Rejection {
  return { stage, message, line: null };
}

function problematic(stage: RejectionStage, { message, hint, line }: Problem): Rejection {
  return { stage, message: hint === undefined ? message : `${message} (${hint})`, line: line ?? null };
}

function unsound(result: Exclude<CheckResult, { ok: true }>): Rejection {
  return problematic(result.stage, result);
}
