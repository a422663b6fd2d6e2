/** One task of D_harness and how a harness fared on it. */
export interface TaskOutcome {
  task: string;
  outcome: string;
  diagnostics: Readonly<Record<string, unknown>>;
  /** Where its trajectory lies, relative to the workspace, if that is told. */
  trajectory: string | undefined;
}

export interface Diagnosis {
  correct: number;
  measured: number;
  /** The diagnostic that tells failures from successes best; undefined where none does. */
  weakest: Weakness | undefined;
  /** All of them, the worst first. */
  weaknesses: readonly Weakness[];
}

export interface Weakness {
  name: string;
  /** Failures that show it. */
  failures: number;
  /** Failures that report it. */
  of: number;
  /** Share of failures that show it minus share of successes that do. */
  excess: number;
  /** Tasks that failed and show it, in the order of the file. */
  tasks: readonly string[];
}

const MEASURED = new Set(['correct', 'incorrect', 'truncated', 'harness_error']);
/** What is bad when it is true; of all others that it is false or below one. */
const FAULTS = new Set(['truncation']);

/** What the failures of a harness have in common. Tasks that were not measured are left out. */
export function diagnose(outcomes: readonly TaskOutcome[]): Diagnosis {
  const measured = outcomes.filter(({ outcome }) => MEASURED.has(outcome));
  const successes = measured.filter(({ outcome }) => outcome === 'correct');
  const failures = measured.filter(({ outcome }) => outcome !== 'correct');
  const names = [...new Set(measured.flatMap(({ diagnostics }) => Object.keys(diagnostics)))].sort();
  const weaknesses = names
    .map((name): Weakness => {
      const failed = shows(failures, name);
      const passed = shows(successes, name);
      return {
        name,
        failures: failed.lacking.length,
        of: failed.reported,
        excess: share(failed) - share(passed),
        tasks: failed.lacking.map(({ task }) => task),
      };
    })
    // What few failures show explains few of them, however well it tells them apart.
    .sort((a, b) => b.excess * b.failures - a.excess * a.failures);
  const [first] = weaknesses;
  const weakest = first !== undefined && first.excess > 0 && first.failures > 0 ? first : undefined;
  return { correct: successes.length, measured: measured.length, weakest, weaknesses };
}

function shows(outcomes: readonly TaskOutcome[], name: string) {
  const reporting = outcomes.filter(({ diagnostics }) => diagnostics[name] !== undefined);
  const lacking = reporting.filter(({ diagnostics }) => {
    const value = Number(diagnostics[name]);
    return FAULTS.has(name) ? value > 0 : value < 1;
  });
  return { reported: reporting.length, lacking };
}

function share({ reported, lacking }: ReturnType<typeof shows>): number {
  return reported === 0 ? 0 : lacking.length / reported;
}

/** How a failure with this weakness is spoken of. */
export function showing(name: string): string {
  return FAULTS.has(name) ? `show ${name}` : `lack ${name}`;
}
