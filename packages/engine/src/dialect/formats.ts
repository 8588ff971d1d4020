/** Letters of MySQL's formats (which Presto's `date_parse` and `date_format` take) that mean something else to the engine. */
const letters: Readonly<Record<string, string>> = {
  M: '%B',
  i: '%M',
  s: '%S',
  h: '%I',
  W: '%A',
  c: '%-m',
  e: '%-d',
  k: '%-H',
  l: '%-I',
  T: '%H:%M:%S',
  r: '%I:%M:%S %p',
  v: '%V',
  x: '%G',
};
const sameLetters = new Set('YymdHISpjabf%');

/** Returns the engine's format, or the letter that it has nothing for. */
export function engineFormat(format: string): { format: string } | { unknown: string } {
  let unknown: string | undefined;
  const translated = format.replace(/%(.?)/gsu, (whole, letter: string) => {
    if (sameLetters.has(letter)) return whole;
    const engineLetter = Object.hasOwn(letters, letter) ? letters[letter] : undefined;
    if (engineLetter === undefined) unknown ??= whole;
    return engineLetter ?? whole;
  });
  return unknown === undefined ? { format: translated } : { unknown };
}

/**
 * Builds the expression that parses a string as `date_parse` does. Without a year it is 1970, where the engine takes 1900. Years of two
 * digits are 1970 to 2069, where those of the engine start at 1969.
 */
export function parserOf(format: string): string {
  const used = new Set(Array.from(format.matchAll(/%-?(.)/gsu), ([, letter]) => letter));
  if (used.has('y')) return 'date_parse_short_year';
  return used.has('Y') || used.has('G') ? 'strptime' : 'date_parse_without_year';
}
