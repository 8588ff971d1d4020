import { parserOf } from './formats.ts';

/** Letters of Joda's formats, which `format_datetime` and `parse_datetime` take, in the engine's. All instants are of UTC. */
const letters: ReadonlyMap<string, string> = new Map(
  `
yyyy %Y
YYYY %Y
y %Y
yy %y
xxxx %G
MMMM %B
MMM %b
MM %m
M %-m
dd %d
d %-d
DDD %j
D %-j
ww %V
e %u
EEEE %A
EEE %a
EE %a
E %a
HH %H
H %-H
hh %I
h %-I
mm %M
m %-M
ss %S
s %-S
SSS %g
SSSSSS %f
a %p
`
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
);
const zones: ReadonlyMap<string, string> = new Map([
  ['Z', '+0000'],
  ['ZZ', '+00:00'],
  ['ZZZ', 'UTC'],
  ['z', 'UTC'],
]);

type Translation = { format: string } | { unknown: string };

/** Translates a format for writing. */
export function jodaFormat(format: string): Translation {
  return translate(format, zones);
}

/** Translates a format for reading, where an offset may be any. */
export function jodaParserFormat(format: string): Translation {
  return translate(
    format,
    new Map(['Z', 'ZZ', 'z', 'ZZZ'].map((zone) => [zone, zone.length < 3 && zone !== 'z' ? '%z' : '%Z'])),
  );
}

/** Names the macro that reads a text as `parse_datetime` does: an instant, and in 1970 where the format has no year. */
export function zonedParserOf(format: string): string {
  return parserOf(format) === 'date_parse_without_year' ? 'parse_datetime_without_year' : 'parse_datetime';
}

/** Translates a format. Single quotes hold literal letters; two of them are one quote. */
function translate(format: string, zoneLetters: ReadonlyMap<string, string>): Translation {
  let unknown: string | undefined;
  const translated = format.replace(/'((?:[^']|'')*)'|([A-Za-z])\2*|%/g, (whole, quoted?: string) => {
    if (whole === '%') return '%%';
    if (quoted !== undefined) return quoted === '' ? "'" : quoted.replaceAll("''", "'").replaceAll('%', '%%');
    const letter = letters.get(whole) ?? zoneLetters.get(whole);
    if (letter === undefined) unknown ??= whole;
    return letter ?? whole;
  });
  return unknown === undefined ? { format: translated } : { unknown };
}
