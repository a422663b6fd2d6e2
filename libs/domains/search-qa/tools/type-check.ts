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

const sources = new Map<string, ts.SourceFile | undefined>();

/** The type errors of a harness, [] when there are none. */
export function typeErrors(source: string): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const virtual: Record<string, string> = { 'harness.ts': source, 'globals.d.ts': GLOBALS + harnessTypes };
  const original = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const text = virtual[name];
    if (text !== undefined) return ts.createSourceFile(name, text, version);
    if (!sources.has(name)) sources.set(name, original(name, version));
    return sources.get(name);
  };
  host.fileExists = (name) => name in virtual;
  const program = ts.createProgram(Object.keys(virtual), OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${file?.fileName ?? ''}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
