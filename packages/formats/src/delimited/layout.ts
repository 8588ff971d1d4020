import { InputError } from '../input-error.ts';
import { type Delimiter, fieldsOf, isOpen } from './fields.ts';
import { separatorOf } from './separator.ts';

/** Layout of a delimited file, found at its beginning. */
export interface TableLayout {
  delimiter: Delimiter;
  /** Lines above that of the titles. */
  linesBefore: number;
  /** Columns that the file declares as texts. */
  textColumns: ReadonlySet<number>;
}

/** Types in the third comment line of a clinical file of cBioPortal. */
const declaredTypes = new Set(['STRING', 'NUMBER', 'BOOLEAN', 'DATETIME']);

/** First line of a CSV that names the separator to Excel. */
const separatorHint = /^"?sep=.?"?\s*$/i;

/**
 * Finds the layout of a table from its first lines, at least those above the titles; lines above that begin with `#` are comments.
 * Throws `InputError` where it is not certain.
 */
export function layoutOf(beginning: string): TableLayout {
  const lines = beginning.replace(/^\ufeff/, '').split('\n', 64);
  const comments = lines.findIndex((line) => !line.startsWith('#') && !separatorHint.test(line));
  if (comments < 0) throw new InputError('The file has comments (#) only, and no line of titles.');
  const titles = recordAt(lines, comments).trimEnd();
  const delimiter = separatorOf(titles, lines.slice(comments + 1, -1));
  const widthOf = (line = ''): number => line.split(delimiter).length;
  if (
    comments === 1 &&
    lines[0]?.startsWith('#') &&
    widthOf(titles) > 1 &&
    widthOf(lines[0]) === widthOf(titles)
  )
    throw new InputError(
      'Line 1 begins with # and has as many columns as line 2. If it holds the titles, remove the #; otherwise remove the line.',
      { line: 1 },
    );
  return {
    delimiter,
    linesBefore: comments,
    textColumns: declaredTexts(lines.slice(0, comments), delimiter),
  };
}

/** Record whose quoted fields may continue in the next lines. */
function recordAt(lines: readonly string[], start: number): string {
  let record = lines[start] ?? '';
  for (let next = start + 1; isOpen(record) && next < lines.length; next += 1) record += `\n${lines[next]}`;
  return record;
}

function declaredTexts(comments: readonly string[], delimiter: Delimiter): ReadonlySet<number> {
  const types = fieldsOf((comments[2] ?? '').replace(/^#/, '').trimEnd(), delimiter);
  if (!types.every((type) => declaredTypes.has(type))) return new Set();
  return new Set(types.flatMap((type, place) => (type === 'STRING' ? [place] : [])));
}
