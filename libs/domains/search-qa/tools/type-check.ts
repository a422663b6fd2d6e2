import ts from 'typescript';
import { harnessTypes } from '../src/atlas/harness-types.ts';

/** The globals that a harness has, in the least form that type-checks one. The sandbox owns the full declarations. */
const GLOBALS = `
interface Message { role: 'system' | 'user' | 'assistant' | 'tool'; content: string }
interface Reply { text: string; finish: 'stop' | 'length' | 'context' }
declare function generate(
  messages: readonly Message[],
  options?: { maxTokens?: number; stop?: readonly string[] },
): Generator<object, Reply, any>;
declare function tool<Name extends keyof Tools>(
  name: Name,
  args: Tools[Name]['args'],
): Generator<object, Tools[Name]['result'], any>;
`;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.ESNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  types: [],
};

/** The type errors of harnesses by name, as `<name>.ts:<line>: <message>`; [] when there are none. */
export function typeErrors(sources: ReadonlyMap<string, string>): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const virtual = new Map([['globals.d.ts', GLOBALS + harnessTypes]]);
  for (const [name, source] of sources) virtual.set(`${name.replace(':', '-')}.ts`, source);
  const getLibrary = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const text = virtual.get(name);
    return text === undefined ? getLibrary(name, version) : ts.createSourceFile(name, text, version);
  };
  host.fileExists = (name) => virtual.has(name);
  const program = ts.createProgram([...virtual.keys()], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${file?.fileName ?? ''}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
