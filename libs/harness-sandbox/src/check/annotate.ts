import type * as TS from 'typescript';
import type { GeneratorNode } from './structure.ts';
import { ts } from './typescript.ts';

export interface Annotated {
  text: string;
  /** The position in the source of a position in `text`. */
  original(position: number): number;
}

interface Insertion {
  at: number;
  text: string;
}

/**
 * The source as it would be with the annotations that its author left out. Without them TypeScript infers
 * `yield { type: 'generate' }` as `{ type: string }`, which is no Effect, and takes `task` for any: plausible harnesses
 * would be refused and wrong ones pass. Lines stay as they are.
 */
export function annotate(file: TS.SourceFile, main: GeneratorNode | undefined): Annotated {
  const insertions: Insertion[] = [];
  if (main !== undefined) {
    annotateParameter(main.parameters[0], ': TaskInput', insertions);
    annotateParameter(main.parameters[1], ': Limits', insertions);
    annotateReturn(file, main, ': Run<Answer>', insertions);
  }
  const visit = (node: TS.Node): void => {
    if (isGenerator(node) && node !== main && node.body !== undefined && yieldsItself(node.body)) {
      annotateReturn(file, node, ': Run<any>', insertions);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  insertions.sort((a, b) => a.at - b.at);
  return {
    text: insert(file.text, insertions),
    original: (position) => {
      let shift = 0;
      for (const { at, text } of insertions) {
        if (at + shift >= position) break;
        shift += Math.min(text.length, position - (at + shift));
      }
      return position - shift;
    },
  };
}

type AnyGenerator = TS.FunctionDeclaration | TS.FunctionExpression | TS.MethodDeclaration;

function isGenerator(node: TS.Node): node is AnyGenerator {
  return (
    (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isMethodDeclaration(node)) &&
    node.asteriskToken !== undefined
  );
}

/** Whether the function has a plain `yield` of its own. With `yield*` alone inference does well. */
function yieldsItself(body: TS.Node): boolean {
  const search = (node: TS.Node): boolean => {
    if (ts.isFunctionLike(node)) return false;
    if (ts.isYieldExpression(node) && node.asteriskToken === undefined) return true;
    return ts.forEachChild(node, search) === true;
  };
  return ts.forEachChild(body, search) === true;
}

function annotateParameter(parameter: TS.ParameterDeclaration | undefined, text: string, into: Insertion[]): void {
  if (parameter === undefined || parameter.type !== undefined || parameter.dotDotDotToken !== undefined) return;
  into.push({ at: (parameter.questionToken ?? parameter.name).end, text });
}

function annotateReturn(file: TS.SourceFile, node: AnyGenerator, text: string, into: Insertion[]): void {
  if (node.type !== undefined) return;
  const close = node.getChildren(file).find((child) => child.kind === ts.SyntaxKind.CloseParenToken);
  if (close !== undefined) into.push({ at: close.end, text });
}

function insert(text: string, insertions: readonly Insertion[]): string {
  let out = '';
  let from = 0;
  for (const { at, text: added } of insertions) {
    out += text.slice(from, at) + added;
    from = at;
  }
  return out + text.slice(from);
}
