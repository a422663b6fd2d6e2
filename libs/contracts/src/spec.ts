import { z } from 'zod';
import { JsonRecord } from './json.ts';

const positiveInt = z.int().positive();
/** A share of D_weight: 0.6 is six tenths of an epoch. */
const epochs = z.number().positive();

const Fixed = z.strictObject({
  kind: z.literal('fixed'),
  cycles: positiveInt,
  weight: z.strictObject({ epochs }),
  harness: z.strictObject({ iterations: positiveInt }),
});

/** Patience (DESIGN §5): W, T_min, P_w in epochs; J_min, P_h in iterations. The maxima bound a phase that never stalls. */
const Adaptive = z.strictObject({
  kind: z.literal('adaptive'),
  cycles: positiveInt,
  weight: z.strictObject({
    window: epochs.default(0.2),
    minimum: epochs.default(0.2),
    patience: epochs.default(0.2),
    maximum: epochs.default(4),
  }),
  harness: z.strictObject({
    minimum: positiveInt.default(6),
    patience: positiveInt.default(2),
    maximum: positiveInt.default(20),
  }),
});

const WeightOnly = z.strictObject({ kind: z.literal('weight-only'), weight: z.strictObject({ epochs }) });
const HarnessOnly = z.strictObject({
  kind: z.literal('harness-only'),
  harness: z.strictObject({ iterations: positiveInt }),
});

/** (E*, I*): one weight phase, then one harness phase. */
const Stagewise = z.strictObject({
  kind: z.literal('stagewise'),
  weight: z.strictObject({ epochs }),
  harness: z.strictObject({ iterations: positiveInt }),
});

/** The Fast-Slow control: a candidate may differ from its parent only inside `PROMPTS`. */
const PromptOnly = z.strictObject({
  kind: z.literal('prompt-only'),
  schedule: z.discriminatedUnion('kind', [Fixed, Adaptive]),
});

export const Strategy = z.discriminatedUnion('kind', [Fixed, Adaptive, WeightOnly, HarnessOnly, Stagewise, PromptOnly]);
export type Strategy = z.infer<typeof Strategy>;

/** What a harness may use in one rollout. */
export const RolloutLimits = z.strictObject({
  /** `generate` effects. */
  turns: positiveInt.default(8),
  /** All effects. */
  effects: positiveInt.default(24),
  /** Deterministic work units of the harness's own code: one is 10,000 loop turns and calls. */
  fuel: positiveInt.default(10_000),
  memoryMegabytes: z.int().min(2).default(32),
  /** CPU time of one step between two effects, ms; after it the worker is ended. */
  stepMilliseconds: z.int().min(100).default(2_000),
});
export type RolloutLimits = z.infer<typeof RolloutLimits>;

/** How an apparent winner is measured again, and what it must show (DESIGN §5). */
export const ConfirmRule = z.strictObject({
  /** Fresh rollouts of each of the two harnesses on each task of D_harness. */
  rolloutsPerTask: positiveInt.max(8).default(2),
  /** One-sided p that the paired differences may have at the most; with 0.5 any mean difference above 0 is enough. */
  level: z.number().positive().max(0.5).default(0.1),
});
export type ConfirmRule = z.infer<typeof ConfirmRule>;

const HarnessSearch = z
  .strictObject({
    /** M */
    candidates: positiveInt.max(64).default(3),
    /** `argmax`: the archive's best; `confirm`: it must also beat the incumbent on fresh rollouts. */
    acceptance: z.enum(['argmax', 'confirm']).default('argmax'),
    /** No default, so that a spec without it keeps its id. */
    confirm: ConfirmRule.optional(),
  })
  .refine(({ acceptance, confirm }) => confirm === undefined || acceptance === 'confirm', {
    path: ['confirm'],
    message: 'belongs to acceptance: confirm, and the acceptance is argmax',
  });

/** US dollars per million tokens. Prices change: the spec says what its dollars were counted by. */
const Prices = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  /** Tokens written to the prompt cache; 1.25 × `input` when absent. */
  cacheWrite: z.number().nonnegative().optional(),
  /** Tokens read from the prompt cache; 0.1 × `input` when absent. */
  cacheRead: z.number().nonnegative().optional(),
});

/** What one batch of candidates may cost. A limit that is reached stops the session; what is written by then counts. */
const ProposerLimits = z.strictObject({
  /** Calls of the model. */
  turns: positiveInt.default(40),
  /** Input, output and cache tokens of all calls together. */
  tokens: positiveInt.default(2_000_000),
  usd: z.number().positive().default(5),
  /** Wall time, s. */
  seconds: z.number().positive().default(1_800),
});

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Claude in a tool loop over the archive as a workspace (DESIGN §9). The key comes from ANTHROPIC_API_KEY alone. */
const ClaudeProposer = z.strictObject({
  kind: z.literal('claude'),
  model: z.string().min(1),
  /** The API's own when absent. */
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !hasCredentials(url), 'expected a URL without user and password, as the spec stands in events')
    .optional(),
  /** Most tokens of one reply, thinking included. */
  maxTokens: positiveInt.default(16_000),
  /** `adaptive` where the model decides itself, a budget in tokens where it takes one, `off` where it cannot think. */
  thinking: z
    .union([z.enum(['adaptive', 'off']), z.strictObject({ budgetTokens: z.int().min(1024) })], {
      error: 'expected adaptive, off or { budgetTokens: 1024 or more }',
    })
    .default('adaptive'),
  prices: Prices,
  limits: ProposerLimits.prefault({}),
});

/** A user's own proposer: a module path whose default export is a ProposerModule. */
const ModuleProposer = z.strictObject({
  kind: z.literal('module'),
  path: z.string().min(1),
  options: JsonRecord.prefault({}),
  /** Wall time, s. */
  seconds: z.number().positive().default(1_800),
});

/** An external command, started in the workspace; it writes files into `candidates/`. */
const CommandProposer = z.strictObject({
  kind: z.literal('command'),
  /** Program and arguments; no shell. Those that begin with `./` or `../` are paths from where the service was started. */
  command: z.array(z.string().min(1)).min(1),
  /** Names of environment variables that it may see besides PATH, HOME, LANG and TMPDIR. */
  environment: z.array(z.string().min(1)).default([]),
  seconds: z.number().positive().default(1_800),
});

export const ProposerSpec = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('recombine') }),
  /** Control: valid candidates at random, blind to all scores. */
  z.strictObject({ kind: z.literal('random') }),
  ClaudeProposer,
  ModuleProposer,
  CommandProposer,
]);
export type ProposerSpec = z.infer<typeof ProposerSpec>;
export type ProposerKind = ProposerSpec['kind'];

/** One experiment: everything that decides what happens, and nothing of where or how fast it runs. */
export const Spec = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and dashes, at most 63, not beginning with a dash'),
  description: z.string().optional(),
  seed: z.int().nonnegative().default(1),
  domain: z.strictObject({
    /** A built-in domain, or a module path (`./my-domain.ts`) that exports a DomainModule. */
    name: z.string().min(1),
    dataset: z.string().min(1),
    options: JsonRecord.prefault({}),
  }),
  policy: z
    .strictObject({
      kind: z.literal('embedded').default('embedded'),
      temperature: z.number().min(0).max(10).default(1),
      /** Upper bound of one `generate`, tokens. */
      maxTokens: positiveInt.default(24),
    })
    .prefault({}),
  trainer: z
    .strictObject({
      kind: z.literal('embedded').default('embedded'),
      learningRate: z.number().positive().max(1).default(4e-4),
      /** Tokens in one gradient batch. */
      batchTokens: positiveInt.default(4096),
    })
    .prefault({}),
  strategy: Strategy,
  weight: z
    .strictObject({
      /** B */
      promptsPerStep: positiveInt.default(50),
      /** G */
      rolloutsPerPrompt: positiveInt.default(8),
    })
    .prefault({}),
  harness: HarnessSearch.prefault({}),
  proposer: ProposerSpec.default({ kind: 'recombine' }),
  evaluation: z
    .strictObject({
      /** mean@n on the test split. */
      rolloutsPerTask: positiveInt.default(8),
      validationRolloutsPerTask: positiveInt.default(8),
      /** After each phase (shows what each brought) or only at the end of a cycle. */
      after: z.enum(['phase', 'cycle']).default('phase'),
    })
    .prefault({}),
  budget: z
    .strictObject({
      /** Weight and harness rollouts together; what would exceed it is not begun. Evaluations do not count. */
      rollouts: positiveInt.optional(),
    })
    .prefault({}),
  limits: RolloutLimits.prefault({}),
  retries: z
    .strictObject({
      /** Attempts of a rollout, an update or a proposal before its failure is final. */
      attempts: positiveInt.max(10).default(3),
    })
    .prefault({}),
});
export type Spec = z.infer<typeof Spec>;
export type SpecInput = z.input<typeof Spec>;
