const reasonsMax = 5;

/**
 * Why something could not be done, in one line for who runs the service: the words of an error, and in brackets those of what caused it.
 * "The storage cannot be reached" alone does not tell a wrong key from a wrong address.
 */
export function reasonOf(error: unknown): string {
  const words: string[] = [];
  const codes = new Set<unknown>();
  let at = error;
  for (let depth = 0; at !== undefined && depth < reasonsMax; depth += 1) {
    const message = at instanceof Error ? at.message || at.name : String(at);
    const code = at instanceof Error ? Reflect.get(at, 'code') : undefined;
    // Who hands a reason on often repeats it, or says with the same code what it is about.
    const isNew = !words.some((one) => one.includes(message)) && (code === undefined || !codes.has(code));
    if (isNew) words.push(message);
    codes.add(code);
    at = at instanceof Error ? at.cause : undefined;
  }
  const [first = '', ...causes] = words;
  return causes.length === 0 ? first : `${first} (${causes.join('; ')})`;
}
