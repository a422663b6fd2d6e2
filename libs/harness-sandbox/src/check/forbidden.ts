import type * as TS from 'typescript';
import { ts } from './typescript.ts';

/** Globals of ES2023 that a VM lacks, and why. */
const FORBIDDEN = new Map([
  ['Date', 'a harness has no clock: there is no Date'],
  ['Promise', 'a harness is synchronous: there is no Promise'],
  ['eval', 'there is no eval'],
  ['Function', 'there is no eval, so no Function constructor'],
  ['WeakRef', 'there is no WeakRef'],
  ['FinalizationRegistry', 'there is no FinalizationRegistry'],
  ['SharedArrayBuffer', 'there is no SharedArrayBuffer'],
  ['Atomics', 'there is no Atomics'],
  ['Intl', 'there is no Intl'],
]);

const ROLES = ['system', 'user', 'assistant', 'tool'];

export interface Forbidden {
  position: number;
  message: string;
}

/**
 * Uses, as values, of what a VM does not have although the library's declarations do; and roles that are none. The type
 * of a role is string (see harness.d.ts), so a misspelt one is looked for here.
 */
export function forbiddenUses(file: TS.SourceFile, program: TS.Program): Forbidden[] {
  const checker = program.getTypeChecker();
  const found: Forbidden[] = [];
  const isOfLibrary = (node: TS.Node): boolean => {
    const declarations = checker.getSymbolAtLocation(node)?.declarations ?? [];
    return (
      declarations.length > 0 &&
      declarations.every((declaration) => program.isSourceFileDefaultLibrary(declaration.getSourceFile()))
    );
  };
  const visit = (node: TS.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isPropertyAccessExpression(node)) {
      const text = node.getText(file);
      if (text === 'Math.random' && isOfLibrary(node.expression)) {
        found.push({ position: node.getStart(file), message: 'a harness has no randomness: there is no Math.random' });
      }
      return visit(node.expression);
    }
    if (ts.isIdentifier(node)) {
      const message = FORBIDDEN.get(node.text);
      if (message !== undefined && isOfLibrary(node)) found.push({ position: node.getStart(file), message });
    }
    if (ts.isPropertyAssignment(node) && isRoleOfMessage(node, file) && ts.isStringLiteralLike(node.initializer)) {
      const role = node.initializer.text;
      if (!ROLES.includes(role)) {
        const message = `'${role}' is no role; the roles are ${ROLES.join(', ')}`;
        found.push({ position: node.initializer.getStart(file), message });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isRoleOfMessage(node: TS.PropertyAssignment, file: TS.SourceFile): boolean {
  const named = (property: TS.ObjectLiteralElementLike, name: string): boolean => property.name?.getText(file) === name;
  return named(node, 'role') && node.parent.properties.some((property) => named(property, 'content'));
}
