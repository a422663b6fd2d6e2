const PASSED = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
/** Shorter values are no secrets and may occur in any text. */
const SHORTEST_SECRET = 8;

/** All that the program sees of the environment: the usual four, what the spec names, and what the platform tells. */
export function programEnvironment(
  named: readonly string[],
  given: NodeJS.ProcessEnv,
  told: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = [...PASSED, ...named].flatMap((name): [string, string][] => {
    const value = given[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passed), ...told };
}

/** The values of the variables that the spec names: keys for the most part, which are not to be put on record. */
export class Secrets {
  readonly #values: readonly (readonly [name: string, value: string])[];

  constructor(named: readonly string[], given: NodeJS.ProcessEnv) {
    this.#values = named
      .map((name) => [name, given[name] ?? ''] as const)
      .filter(([, value]) => value.length >= SHORTEST_SECRET)
      .sort(([, a], [, b]) => b.length - a.length);
  }

  redact(text: string): string {
    return this.#values.reduce((left, [name, value]) => left.replaceAll(value, `[${name}]`), text);
  }

  /** The name of a variable whose value is in the text. */
  in(text: string): string | undefined {
    return this.#values.find(([, value]) => text.includes(value))?.[0];
  }
}
