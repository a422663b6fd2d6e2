import type { Diagnostics, RolloutEnd, Segment, Split } from '@whale/contracts';
import type { JsonValue } from '@whale/kernel';

/** One example x. `input` is all that a harness may see of it. */
export interface Task {
  id: string;
  split: Split;
  input: { readonly [key: string]: JsonValue };
}

/**
 * Tools of the environment by name. They are deterministic; a bad argument gives `{ error: '…' }`, not a throw. A harness
 * receives the JSON of the result; where that has more than MOST_RESULT_BYTES, it receives `{ error }` that says so.
 */
export interface DomainTools {
  call(name: string, args: { readonly [key: string]: JsonValue }): JsonValue | Promise<JsonValue>;
}

/** UTF-8 bytes of JSON. */
export const MOST_RESULT_BYTES = 1024 ** 2;

export interface VerifyInput {
  task: Task;
  end: RolloutEnd;
  trajectory: readonly Segment[];
}

/** R(x, τ) and what the domain says about how the rollout went. */
export interface DomainVerdict {
  reward: 0 | 1;
  diagnostics: Diagnostics;
}

/**
 * A named region of a harness file that can be exchanged for another variant of the same slot. In a harness source a
 * component stands between `// region <slot>: <variant>` and `// endregion`.
 */
export interface ComponentVariant {
  slot: string;
  name: string;
  /** TypeScript, without the region markers. */
  source: string;
  /** The diagnostics that this variant is meant to improve, by name, e.g. `retrieval`. */
  targets: readonly string[];
  /** What its author expects, as a falsifiable sentence. */
  hypothesis: string;
}

/**
 * A domain is asked through a guard (`loadDomain`): what it gives is parsed, and what takes too long is given up. A throw,
 * a timeout and a value that does not fit are failures of infrastructure or of the verifier, never a reward of 0.
 */
export interface Domain {
  readonly name: string;
  readonly dataset: string;
  /** Tasks of a split in a fixed order. Splits share no task. */
  tasks(split: Split): readonly Task[];
  task(id: string): Task | undefined;
  /** The environment of one task; a fresh one for each rollout. */
  tools(task: Task): DomainTools;
  verify(input: VerifyInput): DomainVerdict | Promise<DomainVerdict>;
  /** Gold answers; the domain's own verifier must accept each. Never shown to a proposer or a harness. */
  gold(taskId: string): readonly string[];
  /** h₀, TypeScript source text: plausible but poor. */
  readonly seedHarness: string;
  readonly components: readonly ComponentVariant[];
  /** The names of the diagnostics that `verify` reports, each with one sentence. */
  readonly diagnostics: { readonly [name: string]: string };
  /** What a proposer reads about the domain (Markdown). */
  readonly description: string;
  /** Declarations of the domain's tool effects and task input, appended to harness.d.ts for the type check. */
  readonly harnessTypes: string;
}

/** What a domain package or a user's module exports as default. */
export interface DomainModule {
  name: string;
  /** `options` come from the spec and are parsed by the domain's own schema. Throws InputError. */
  load(input: { dataset: string; options: { readonly [key: string]: JsonValue } }): Domain | Promise<Domain>;
}
