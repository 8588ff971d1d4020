/** Patterns that are more than linear in some text. */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { getFirstConsumedChar } from 'regexp-ast-analysis';
import { analyse } from 'scslre';

/** Returns why a pattern is more than linear in some text; undefined when it is not. */
export function slownessOf(literal: string): string | undefined {
  const parsed = new RegExpParser().parseLiteral(literal);
  const { reports } = analyse(
    { pattern: parsed.pattern, flags: parsed.flags },
    { reportTypes: { Move: true, Self: true, Trade: true } },
  );
  const reasons = reports.map(({ type, exponential }) => (exponential ? `${type}, exponential` : type));
  if (hasAmbiguousRepetition(parsed)) reasons.push('alternatives of a repetition begin alike');
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/** Alternatives that may begin with the same character, repeated without limit: each doubles the ways to read a text. */
function hasAmbiguousRepetition({ pattern, flags }: AST.RegExpLiteral): boolean {
  let found = false;
  visitRegExpAST(pattern, {
    onQuantifierEnter({ element, max }) {
      if (max !== Number.POSITIVE_INFINITY || !('alternatives' in element)) return;
      const begins = element.alternatives.map((one) => getFirstConsumedChar(one, 'ltr', flags).char);
      found ||= begins.some((one, at) => begins.slice(at + 1).some((other) => !one.isDisjointWith(other)));
    },
  });
  return found;
}
