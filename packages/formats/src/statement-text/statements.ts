import { tokensOf } from './tokens.ts';

/** Statement within a text of several. */
export interface StatementPart {
  /** Text without blanks and comments around it, and without its semicolon. */
  text: string;
  /** Place of its first letter, and of what follows it, in characters. */
  start: number;
  end: number;
}

/** Splits a text at the semicolons outside of names, texts and comments. Empty statements are left out. */
export function statementsIn(sql: string): StatementPart[] {
  const parts: StatementPart[] = [];
  let part: { start: number; end: number } | undefined;
  const close = (): void => {
    if (part) parts.push({ ...part, text: sql.slice(part.start, part.end) });
    part = undefined;
  };
  for (const { kind, text, start, end } of tokensOf(sql)) {
    if (kind === 'other' && text === ';') close();
    else part = { start: part?.start ?? start, end };
  }
  close();
  return parts;
}

/** Returns the statement at a place of a text: the one around it, or else the last one before it; the first one before any. */
export function statementAt(sql: string, place: number): StatementPart | undefined {
  const parts = statementsIn(sql);
  return parts.findLast(({ start }) => start <= place) ?? parts[0];
}
