/** Returns the known name with the fewest changes to a given one; `undefined` if more than `changesMax` are needed. */
export function nearest(
  given: string,
  known: readonly string[],
  changesMax = Number.POSITIVE_INFINITY,
): string | undefined {
  const name = given.toLowerCase();
  const ranked = known.map((one) => ({ one, changes: distance(one.toLowerCase(), name) }));
  const best = ranked.toSorted((a, b) => a.changes - b.changes)[0];
  return best && best.changes <= changesMax ? best.one : undefined;
}

/** Maximum letters of a name that is corrected as a misspelling. */
const slipLengthMax = 40;

/** Returns the known name that a wrong one was probably meant to be: at most one letter in three differs. */
export function meantName(given: string, known: readonly string[]): string | undefined {
  if (given.length > slipLengthMax) return undefined;
  return nearest(given, known, Math.max(1, Math.floor(given.length / 3)));
}

/** Returns the Levenshtein distance of two names, in which two neighbours that changed places are one change. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
