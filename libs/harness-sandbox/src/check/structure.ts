import type * as TS from 'typescript';
import { directivesOf } from './directives.ts';
import type { Problem } from './protocol.ts';
import { ts } from './typescript.ts';

export type GeneratorNode = TS.FunctionDeclaration | TS.FunctionExpression;

export interface Structure {
  /** The generator function of the default export, when the source says it directly. */
  main: GeneratorNode | undefined;
  /** Where a problem with the default export is shown. */
  mainNode: TS.Node;
  promptsNode: TS.Node;
}

export function problemAt(file: TS.SourceFile, position: number, message: string, hint?: string): Problem {
  const { line, character } = file.getLineAndCharacterOfPosition(position);
  return { line: line + 1, column: character + 1, message, ...(hint === undefined ? {} : { hint }) };
}

const MAIN_HINT = 'write: export default function* (task: TaskInput, limits: Limits): Run<Answer> { … }';
const PROMPTS_HINT = "write: export const PROMPTS = { system: '…' };";
const SYNC_HINT = 'a harness is synchronous: use function* and yield* generate(…) or yield* tool(…)';

/**
 * What the syntax alone says: the two exports are there and of the right kind; nothing asynchronous, no import, no
 * directive for the compiler.
 */
export function readStructure(file: TS.SourceFile): Structure | Problem[] {
  const problems = directivesOf(file).map(({ position, message, hint }) => problemAt(file, position, message, hint));
  const report = (node: TS.Node, message: string, hint?: string): void => {
    problems.push(problemAt(file, node.getStart(file), message, hint));
  };
  forbidAsyncAndImports(file, report);
  const mainNode = findDefaultExport(file);
  const promptsNode = findPrompts(file);
  if (mainNode === undefined) problems.push({ message: 'there is no default export', hint: MAIN_HINT });
  if (promptsNode === undefined) problems.push({ message: 'there is no export named PROMPTS', hint: PROMPTS_HINT });
  const main = mainNode === undefined ? undefined : functionOf(file, mainNode);
  if (mainNode !== undefined && main === 'other') {
    report(mainNode, 'the default export is not a generator function', MAIN_HINT);
  }
  if (problems.length > 0 || mainNode === undefined || promptsNode === undefined || main === 'other') return problems;
  return { main, mainNode, promptsNode };
}

function forbidAsyncAndImports(file: TS.SourceFile, report: (node: TS.Node, message: string, hint?: string) => void) {
  const visit = (node: TS.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isImportEqualsDeclaration(node)) {
      report(node, 'a harness imports nothing', 'what it may use is in harness.d.ts, without import');
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      report(node, 'a harness imports nothing', 'export what the file itself declares');
    } else if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent)) {
      report(node, 'a harness imports nothing: no import()');
    } else if (node.kind === ts.SyntaxKind.AsyncKeyword) {
      report(node, 'a harness has no async functions', SYNC_HINT);
    } else if (ts.isAwaitExpression(node)) {
      report(node, 'a harness has no await', SYNC_HINT);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function findDefaultExport(file: TS.SourceFile): TS.Node | undefined {
  for (const statement of file.statements) {
    if (ts.isExportAssignment(statement) && statement.isExportEquals !== true) return statement.expression;
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword)) return statement;
    }
    const named = exportedAs(statement, 'default');
    if (named !== undefined) return named.propertyName ?? named.name;
  }
  return undefined;
}

export function findPrompts(file: TS.SourceFile): TS.VariableDeclaration | TS.ExportSpecifier | undefined {
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement) && isExported(statement)) {
      const found = statement.declarationList.declarations.find(({ name }) => name.getText(file) === 'PROMPTS');
      if (found !== undefined) return found;
    }
    const named = exportedAs(statement, 'PROMPTS');
    if (named !== undefined) return named;
  }
  return undefined;
}

function isExported(statement: TS.VariableStatement): boolean {
  return statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) === true;
}

function exportedAs(statement: TS.Statement, name: string): TS.ExportSpecifier | undefined {
  if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return undefined;
  if (!ts.isNamedExports(statement.exportClause)) return undefined;
  return statement.exportClause.elements.find((element) => element.name.text === name);
}

/** `other`: surely no generator function. undefined: an expression that only the types or a run can judge. */
function functionOf(file: TS.SourceFile, node: TS.Node): GeneratorNode | 'other' | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node)) {
    return node.asteriskToken === undefined ? 'other' : node;
  }
  if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node) || ts.isAsExpression(node)) {
    return functionOf(file, node.expression);
  }
  if (ts.isArrowFunction(node) || ts.isClassLike(node) || ts.isLiteralExpression(node)) return 'other';
  if (ts.isObjectLiteralExpression(node)) return 'other';
  if (!ts.isIdentifier(node)) return undefined;
  for (const statement of file.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === node.text) return functionOf(file, statement);
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (name.getText(file) === node.text && initializer !== undefined && !ts.isIdentifier(initializer)) {
        return functionOf(file, initializer);
      }
    }
  }
  return undefined;
}
