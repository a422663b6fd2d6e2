import type { CheckResult, HarnessChecker } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import type { Draft, Rejection } from '@whale/proposers';
import type { View } from '../batch.ts';
import { smokeRuns } from './smoke-runs.ts';

export interface JudgeParts {
  checker: Pick<HarnessChecker, 'check'>;
}

/** A check of the pipeline. Null: passed. Rejects for infrastructure only. */
type Check = (draft: Draft) => Rejection | null | Promise<Rejection | null>;

/** Judges the drafts of one batch, one after the other; the stages are those of RejectionStage, in their order. */
export class Judge {
  readonly #view: View;
  readonly #parts: JudgeParts;
  /** Ids of what has a score under the present θ, and of the batch's valid candidates. */
  readonly #taken: Set<string>;
  readonly #checks: readonly Check[];

  constructor(view: View, parts: JudgeParts) {
    this.#view = view;
    this.#parts = parts;
    this.#taken = new Set([...view.scored, view.incumbent.id]);
    this.#checks = [(draft) => this.#known(draft), (draft) => this.#parent(draft), (draft) => this.#sound(draft)];
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
  take(draft: Draft): void {
    this.#taken.add(sha256(draft.source));
  }

  #known({ source }: Draft): Rejection | null {
    const id = sha256(source);
    if (!this.#taken.has(id)) return null;
    return {
      stage: 'duplicate',
      message: `harness ${id.slice(0, 12)} has a score already or is in this batch`,
      line: null,
    };
  }

  #parent({ parent }: Draft): Rejection | null {
    if (this.#view.parents.has(parent)) return null;
    return { stage: 'parent', message: `the parent ${parent} is neither in the archive nor h₀`, line: null };
  }

  async #sound({ source }: Draft): Promise<Rejection | null> {
    const { domain } = this.#view;
    const options = { domainTypes: domain.harnessTypes, smoke: smokeRuns(domain) };
    const result = await this.#parts.checker.check(source, options);
    return result.ok ? null : rejectionOf(result);
  }
}

function rejectionOf({ stage, message, hint, line }: Exclude<CheckResult, { ok: true }>): Rejection {
  return { stage, message: hint === undefined ? message : `${message} (${hint})`, line: line ?? null };
}
