import type * as TS from 'typescript';
import type { Problem } from './protocol.ts';
import { problemAt } from './structure.ts';
import { ts } from './typescript.ts';

const FILE = 'harness.ts';

export function parse(source: string): TS.SourceFile {
  return ts.createSourceFile(FILE, source, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);
}

export function syntaxProblem(file: TS.SourceFile): Problem | undefined {
  const options = { fileName: FILE, reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ESNext } };
  const [first] = ts.transpileModule(file.text, options).diagnostics ?? [];
  if (first === undefined) return undefined;
  return problemAt(file, first.start ?? 0, ts.flattenDiagnosticMessageText(first.messageText, '\n'));
}

/** The nodes and tokens that `node` consists of, in order; documentation comments are no part of the code. */
export function partsOf(node: TS.Node, file: TS.SourceFile): TS.Node[] {
  return node.getChildren(file).filter((part) => !ts.isJSDoc(part));
}

/** The tokens of the file, in order; the last is its end. */
export function* tokensOf(node: TS.Node, file: TS.SourceFile): Generator<TS.Node> {
  const parts = partsOf(node, file);
  if (parts.length === 0 && node.kind !== ts.SyntaxKind.SyntaxList) yield node;
  for (const part of parts) yield* tokensOf(part, file);
}
