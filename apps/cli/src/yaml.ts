import { parseDocument } from 'yaml';

/** The text is not YAML, or holds what no JSON can; `line` is where, counted from 1. */
export class YamlProblem extends Error {
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined, cause?: unknown) {
    super(message, { cause });
    this.line = line;
  }
}

/** The value of a YAML text, as plain data. What the library only warns of is a problem too. Throws YamlProblem. */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'error' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new YamlProblem(firstLine(problem), problem.linePos?.[0].line, problem);
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    // Throws a TypeError where an alias lies within what it names.
    JSON.stringify(value);
    return value;
  } catch (error) {
    // Nested so deep that the stack does not reach: the spec's own check says where.
    if (error instanceof TypeError) throw new YamlProblem('an alias lies within what it names', undefined, error);
    throw new YamlProblem(firstLine(error as Error), undefined, error);
  }
}

function firstLine({ message }: Error): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:$/, '');
}
