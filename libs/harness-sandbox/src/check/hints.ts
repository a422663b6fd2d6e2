const HINTS: readonly (readonly [RegExp, string])[] = [
  [/not assignable to type 'Role'/, 'the roles are system, user, assistant and tool'],
  [/must return a value/, 'return { answer } with a string, or null for no answer'],
  [
    /Cannot find name '(console|process|require|fetch|setTimeout|Buffer|performance|module)'/,
    'a harness has no console, process, network or timers: only what harness.d.ts declares',
  ],
  [/is possibly 'null'|is possibly 'undefined'/, 'check it first, e.g. match?.[1] ?? …'],
  [
    /to type 'ToolEffect|not assignable to type 'Effect'/,
    'the tools of this domain, their args and results are in `interface Tools`',
  ],
  [/to parameter of type 'never'/, 'this domain declares no tools'],
  [/on type 'TaskInput'/, 'what a task has is in `interface TaskInput`'],
  [/on type 'Limits'/, 'limits has turns, effects, maxTokens and contextTokens'],
  [/not assignable to type '.*Answer'|'Answer'/, 'return { answer } with a string, or null for no answer'],
  [/erasableSyntaxOnly/, 'types are stripped, so enums, namespaces and parameter properties are not there'],
];

/** What to do about a compiler message, where it is not plain. */
export function hintFor(message: string): string | undefined {
  return HINTS.find(([pattern]) => pattern.test(message))?.[1];
}
