import type * as TS from 'typescript';
import type { Problem } from './protocol.ts';
import { findPrompts, problemAt } from './structure.ts';
import { parse, partsOf, syntaxProblem } from './syntax.ts';
import { ts } from './typescript.ts';

/**
 * The rule of `prompt-only`: a candidate is its parent, but for the texts in PROMPTS.
 *
 * 1. What may differ is a value of the exported object literal PROMPTS that in both files is one string literal (or a
 *    template without `${}`) under a plain key. Everything else is code, also inside of PROMPTS: keys, their number and
 *    order, texts that are put together, calls.
 * 2. Code is compared as syntax trees, token for token, so that comments and white space may differ, and a line break
 *    that changes what a statement is (`return` on a line of its own) may not.
 */
export function promptsOnlyProblem(parentSource: string, candidateSource: string): Problem | undefined {
  const [parent, candidate] = [parse(parentSource), parse(candidateSource)];
  const difference = firstDifference(new Side(parent), new Side(candidate));
  if (difference === undefined) return undefined;
  const broken = syntaxProblem(candidate);
  if (broken !== undefined) return broken;
  const { ours, theirs } = difference;
  const was = theirs === undefined ? 'nothing' : excerpt(theirs.getText(parent));
  const message = `only the strings in PROMPTS may differ from the parent, which has ${was} here`;
  return problemAt(candidate, ours.getStart(candidate), message, reasonInside(ours, candidate));
}

/** One of the two files, and what of it may differ. */
class Side {
  readonly file: TS.SourceFile;
  readonly #texts: ReadonlySet<TS.Node>;

  constructor(file: TS.SourceFile) {
    this.file = file;
    const literal = promptsLiteral(file);
    const properties = literal?.properties.filter(ts.isPropertyAssignment) ?? [];
    const texts = properties.filter(({ name }) => hasPlainKey(name)).map(({ initializer }) => initializer);
    this.#texts = new Set(texts.filter((text) => ts.isStringLiteralLike(text) && text.isUnterminated !== true));
  }

  isText(node: TS.Node): boolean {
    return this.#texts.has(node);
  }
}

interface Difference {
  /** Undefined where the candidate has more. */
  theirs: TS.Node | undefined;
  ours: TS.Node;
}

function firstDifference(parent: Side, candidate: Side): Difference | undefined {
  const compare = (theirs: TS.Node, ours: TS.Node): Difference | undefined => {
    if (parent.isText(theirs) && candidate.isText(ours)) return undefined;
    if (theirs.kind !== ours.kind) return { theirs, ours };
    const [before, after] = [partsOf(theirs, parent.file), partsOf(ours, candidate.file)];
    if (before.length === 0 && after.length === 0) {
      return theirs.getText(parent.file) === ours.getText(candidate.file) ? undefined : { theirs, ours };
    }
    for (const [i, part] of after.entries()) {
      const counterpart = before[i];
      if (counterpart === undefined) return { theirs: undefined, ours: part };
      const difference = compare(counterpart, part);
      if (difference !== undefined) return difference;
    }
    return before.length === after.length ? undefined : { theirs: before[after.length], ours };
  };
  return compare(parent.file, candidate.file);
}

/** The object literal that is exported as PROMPTS, if it is one. */
function promptsLiteral(file: TS.SourceFile): TS.ObjectLiteralExpression | undefined {
  const value = promptsDeclaration(file)?.initializer;
  return value === undefined ? undefined : objectLiteralOf(value);
}

function promptsDeclaration(file: TS.SourceFile): TS.VariableDeclaration | undefined {
  const found = findPrompts(file);
  if (found === undefined || ts.isVariableDeclaration(found)) return found;
  const local = (found.propertyName ?? found.name).text;
  const declarations = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return declarations.find(({ name }) => name.getText(file) === local);
}

function objectLiteralOf(value: TS.Expression): TS.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(value)) return value;
  if (ts.isParenthesizedExpression(value) || ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) {
    return objectLiteralOf(value.expression);
  }
  return undefined;
}

function hasPlainKey(name: TS.PropertyName): boolean {
  return ts.isIdentifier(name) || ts.isStringLiteral(name);
}

/** Why a difference counts although it is inside of PROMPTS. */
function reasonInside(node: TS.Node, file: TS.SourceFile): string | undefined {
  const declaration = promptsDeclaration(file);
  if (declaration === undefined || node.pos < declaration.pos || node.end > declaration.end) return undefined;
  if (promptsLiteral(file) === undefined) return 'write PROMPTS as an object literal: { system: "…" }';
  const property = ts.findAncestor(node, (up) => up.parent === promptsLiteral(file));
  if (property === undefined) return KEYS;
  if (!ts.isPropertyAssignment(property) || !hasPlainKey(property.name)) {
    return 'a property of PROMPTS is a plain key with one string literal: no computed key, spread, method or accessor';
  }
  const isOfValue = ts.findAncestor(node, (up) => up === property.initializer) !== undefined;
  return isOfValue ? 'a text in PROMPTS is one string literal: no `${}`, no +, no call, no name' : KEYS;
}

const KEYS = 'the keys of PROMPTS stay as they are: none more, none fewer, in the same order';

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return `\`${line.length <= 60 ? line : `${line.slice(0, 60)}…`}\``;
}
