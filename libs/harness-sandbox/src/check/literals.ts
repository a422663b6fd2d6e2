import type * as TS from 'typescript';
import type { Literal } from './protocol.ts';
import { parse, tokensOf } from './syntax.ts';
import { ts } from './typescript.ts';

/**
 * Everything in a source that its author has worded, in the order in which it stands there: strings and pieces of
 * templates as the program sees them, regular expressions and numbers as written, comments without their marks, names.
 */
export function literalsOf(source: string): Literal[] {
  const file = parse(source);
  const found: Literal[] = [];
  const add = (kind: Literal['kind'], text: string, at: number): void => {
    if (text !== '') found.push({ kind, text, line: file.getLineAndCharacterOfPosition(at).line + 1 });
  };
  const shebang = ts.getShebang(source);
  if (shebang !== undefined) add('comment', shebang.slice(2).trim(), 0);
  for (const token of tokensOf(file, file)) {
    for (const { pos, end } of commentsBefore(token, source)) add('comment', worded(source.slice(pos, end)), pos);
    const literal = literalOf(token, file);
    if (literal !== undefined) add(...literal, token.getStart(file));
  }
  return found;
}

function literalOf(token: TS.Node, file: TS.SourceFile): [Literal['kind'], string] | undefined {
  if (ts.isStringLiteralLike(token)) return ['string', token.text];
  if (ts.isTemplateHead(token) || ts.isTemplateMiddleOrTemplateTail(token)) return ['template', token.text];
  if (ts.isRegularExpressionLiteral(token)) return ['regexp', token.text.slice(1, token.text.lastIndexOf('/'))];
  if (ts.isNumericLiteral(token) || ts.isBigIntLiteral(token)) return ['number', token.getText(file)];
  if (ts.isIdentifier(token) || ts.isPrivateIdentifier(token)) return ['name', token.text];
  return undefined;
}

/** Those on the line of the token before it, then those on lines of their own. */
function commentsBefore(token: TS.Node, source: string): TS.CommentRange[] {
  const trailing = ts.getTrailingCommentRanges(source, token.pos) ?? [];
  const leading = ts.getLeadingCommentRanges(source, token.pos) ?? [];
  const seen = new Set(trailing.map(({ pos }) => pos));
  return [...trailing, ...leading.filter(({ pos }) => !seen.has(pos))];
}

function worded(comment: string): string {
  const inner = comment.startsWith('//') ? comment.slice(2) : comment.replace(/^\/\*+|\*+\/$/g, '');
  return inner.replace(/^[ \t]*\*+/gm, '').trim();
}
