const reasonsMax = 5;

/**
 * Describes a failure in one line for the operator: the message of an error, and in brackets those of its
 * causes. "The storage cannot be reached" alone does not distinguish a wrong key from a wrong address.
 */
export function reasonOf(error: unknown): string {
  const words: string[] = [];
  const codes = new Set<unknown>();
  let at = error;
  for (let depth = 0; at !== undefined && depth < reasonsMax; depth += 1) {
    const message = at instanceof Error ? at.message || at.name : String(at);
    const code = at instanceof Error ? Reflect.get(at, 'code') : undefined;
    // Wrapping errors often repeat the message or the code of their cause.
    const isNew = !words.some((one) => one.includes(message)) && (code === undefined || !codes.has(code));
    if (isNew) words.push(message);
    codes.add(code);
    at = at instanceof Error ? at.cause : undefined;
  }
  const [first = '', ...causes] = words;
  return causes.length === 0 ? first : `${first} (${causes.join('; ')})`;
}
