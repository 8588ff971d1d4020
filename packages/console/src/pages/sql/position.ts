/** Returns the place of an error in a statement, from the line and column or quoted word of its message. */
export function positionIn(statement: string, message: string): number | undefined {
  const [, line, column] = /line (\d+)(?:,? (?:column|character|at) (\d+))?/i.exec(message) ?? [];
  if (line !== undefined) {
    const before = statement.split('\n').slice(0, Number(line) - 1);
    return before.reduce((sum, text) => sum + text.length + 1, 0) + Math.max(0, Number(column ?? 1) - 1);
  }
  const [, word] = /"([^"]+)"/.exec(message) ?? [];
  const found = word === undefined ? -1 : statement.toLowerCase().indexOf(word.toLowerCase());
  return found < 0 ? undefined : found;
}
