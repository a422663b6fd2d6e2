import type * as TS from 'typescript';
import { parse, partsOf } from './syntax.ts';
import { ts } from './typescript.ts';

const JAVASCRIPT: TS.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  removeComments: true,
};

/**
 * A text that two sources share when they are the same program but for comments, white space, type annotations, commas
 * and semicolons that mean nothing, quotes and parentheses that are not needed. It is the syntax tree, written down:
 * to be compared, not to be read or kept, for it depends on the version of TypeScript.
 */
export function normalForm(source: string): string {
  const { outputText } = ts.transpileModule(source, { fileName: 'harness.ts', compilerOptions: JAVASCRIPT });
  const file = parse(outputText);
  return written(file, file);
}

function written(node: TS.Node, file: TS.SourceFile): string {
  if (ts.isParenthesizedExpression(node) && !ts.isOptionalChain(node.expression)) return written(node.expression, file);
  if (ts.isStringLiteralLike(node)) return JSON.stringify(node.text);
  if (ts.isNumericLiteral(node)) return node.text;
  const parts = partsOf(node, file).filter((part) => !isIdle(part));
  if (parts.length === 0) return node.getText(file);
  return `(${node.kind} ${parts.map((part) => written(part, file)).join(' ')})`;
}

/** Whether the program is the same without it. The semicolons of a `for` tell its parts from each other. */
function isIdle(node: TS.Node): boolean {
  const { parent } = node;
  if (node.kind === ts.SyntaxKind.CommaToken) return !ts.isBinaryExpression(parent);
  if (node.kind === ts.SyntaxKind.SemicolonToken) return !ts.isForStatement(parent);
  if (ts.isEmptyStatement(node)) return ts.isBlock(parent) || ts.isSourceFile(parent);
  return ts.isSemicolonClassElement(node);
}
