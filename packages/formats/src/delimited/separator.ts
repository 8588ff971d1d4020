import { InputError } from '../input-error.ts';
import type { Delimiter } from './fields.ts';

/** Separators that other programs write, by their name in a message. */
const foreign: readonly [separator: string, name: string][] = [
  ['|', 'vertical bars'],
  ['^', 'carets'],
  ['~', 'tildes'],
  ['\u0001', 'control characters'],
  ['\u001f', 'control characters'],
];
/** Separators that may as well be part of a title: only lines that they all divide alike prove them. */
const doubtful: readonly [separator: string, name: string][] = [
  [' ', 'blanks'],
  [':', 'colons'],
];

/**
 * Finds the separator in the line of titles; where commas and semicolons are in it, the `lines` after it decide. Throws
 * `InputError` where they cannot, and for other separators: all columns would be one.
 */
export function separatorOf(titles: string, lines: readonly string[]): Delimiter {
  if (titles.includes('\t')) return '\t';
  const [commas, semicolons] = [partsOf(titles, ','), partsOf(titles, ';')];
  if (commas === 1 && semicolons === 1) {
    refuseForeign(titles, lines);
    return ',';
  }
  const isAlike = (separator: string): boolean => areAlike(titles, lines, separator);
  if (commas > 1 && semicolons > 1 && isAlike(',') !== isAlike(';')) return isAlike(';') ? ';' : ',';
  if (commas > 1 && semicolons > 1 && isAlike(','))
    throw new InputError(
      'The separator may be a comma or a semicolon: both divide all lines alike. Put titles and values that contain one of them in quotation marks.',
      { line: 1 },
    );
  return semicolons > commas ? ';' : ',';
}

function refuseForeign(titles: string, lines: readonly string[]): void {
  const found =
    foreign.find(([separator]) => partsOf(titles, separator) > 1) ??
    doubtful.find(([separator]) => partsOf(titles, separator) > 1 && areAlike(titles, lines, separator));
  if (found)
    throw new InputError(
      `The titles seem to be separated by ${found[1]}: write the file with commas, semicolons or tabs. If it has one column, put its title in quotation marks.`,
      { line: 1 },
    );
}

/** Returns whether there are lines, and each has as many parts as the titles. Lines with open quotes are skipped. */
function areAlike(titles: string, lines: readonly string[], separator: string): boolean {
  const telling = lines.filter((line) => line.trim() !== '' && line.split('"').length % 2 === 1);
  const width = partsOf(titles, separator);
  return telling.length > 0 && telling.every((line) => partsOf(line, separator) === width);
}

/** Splits outside of quotation marks; several blanks count as one. */
function partsOf(line: string, separator: string): number {
  const outsideQuotes = line
    .trim()
    .replace(/"[^"]*"/g, '"')
    .replace(/ +/g, ' ');
  return outsideQuotes.split(separator).length;
}
