import type { Cell } from '../parquet/index.ts';
import type { ColumnType } from '../tables/index.ts';

/**
 * Notation of a value, as narrow as is certain. `comma`, `day` and `exponent` (`1E5`, a number or the code of a well) remain
 * text; warnings name them.
 */
export type Kind = 'absent' | 'boolean' | 'int' | 'float' | 'date' | 'comma' | 'day' | 'exponent' | 'text';

/** Words for no value in columns of ids, numbers, dates and booleans; in other columns of text they are text. */
export const absentWords: ReadonlySet<string> = new Set([
  ...['NA', 'N/A', '#N/A', 'NaN', 'nan', '-nan', 'null', 'NULL', 'None', '.', '-'],
  ...['[Not Available]', '[Not Applicable]', '[Unknown]'],
]);

/** A leading zero or plus sign is part of a code, and not of a number. */
const wholeNumber = /^-?(?:0|[1-9]\d{0,15})$/;
const decimalNumber = /^(?=.*[.eE])-?(?:0|[1-9]\d*)?(?:\.\d+|(?<=\d)\.?)(?:[eE][-+]?\d{1,3})?$/;
/** Programs write numbers as `1e+05` or `1.0E5`. */
const bareExponent = /^(?:0|[1-9]\d*)[eE]\d{1,3}$/;
/** Numbers as people write them: `1,5`, `1.234,5`, `1 234`, `−2`, `12%`. */
const writtenNumber =
  /^[-+\u2212]?(?:\d+|\d{1,3}(?:[.,'\u2019\u00a0\u202f ]\d{3})+)(?:[.,]\d+)?[\u00a0\u202f ]?%?$/;
const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const otherDate = /^\d{1,4}[./]\d{1,2}[./]\d{1,4}$/;

/** Longer texts are never read as numbers. */
const numberLengthMax = 64;

/** Classifies a value that is not empty. */
export function kindOf(text: string): Kind {
  if (text.length > numberLengthMax) return 'text';
  if (absentWords.has(text)) return 'absent';
  if (wholeNumber.test(text)) return Number.isSafeInteger(Number(text)) ? 'int' : 'text';
  if (bareExponent.test(text)) return isExactFloat(text) ? 'exponent' : 'text';
  if (decimalNumber.test(text)) return isExactFloat(text) ? 'float' : 'text';
  if (/^(?:true|false)$/i.test(text)) return 'boolean';
  if (isoDate.test(text)) return isDay(text) ? 'date' : 'text';
  if (writtenNumber.test(text) && !/^[-+]?\d+$/.test(text)) return 'comma';
  return otherDate.test(text) ? 'day' : 'text';
}

/** Reports whether a number with a point or exponent keeps its digits: a double has 17. */
function isExactFloat(text: string): boolean {
  const value = Number(text);
  const digits = text
    .replace(/[eE].*/s, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return Number.isFinite(value) && digits.length <= 17 && (value !== 0 || digits === '');
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  // The engine's dates before year 1 have another form.
  return (
    !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text && !text.startsWith('0000')
  );
}

const truths: Readonly<Record<string, boolean>> = {
  ...{ true: true, t: true, yes: true, y: true, '1': true },
  ...{ false: false, f: false, no: false, n: false, '0': false },
};

const needed: Readonly<Record<ColumnType, string>> = {
  string: 'a text is needed',
  int: 'a whole number of at most 15 digits is needed',
  float: 'a number with a decimal point is needed',
  boolean: 'true or false, yes or no, 1 or 0 is needed',
  date: 'a date as YYYY-MM-DD is needed',
};

/**
 * Converts a text to the value of a type; undefined for an absent one. Throws the error that `fault` makes of a reason when the
 * text is no value of the type.
 */
export function typedValue(type: ColumnType, text: string, fault: (reason: string) => Error): Cell {
  if (type === 'string') return text;
  const kind = kindOf(text);
  if (kind === 'absent') return undefined;
  if (type === 'boolean') {
    const truth = truths[text.toLowerCase()];
    if (truth !== undefined) return truth;
  } else if (kind === type) return type === 'date' ? text : Number(text);
  else if (type === 'float' && (kind === 'int' || kind === 'exponent')) return Number(text);
  throw fault(needed[type]);
}

/** Forms of ids that a program made of others, so that they join no other table. */
const forms: readonly [form: RegExp, advice: string][] = [
  [/^\d+\.0+$/, 'end with .0, as data frames write whole numbers beside empty ones: write whole numbers'],
  [
    /^\d(?:\.\d+[eE]\+?|[eE]\+)\d{1,3}$/,
    'are like 1.2E+11, as spreadsheets write long numbers: write all digits',
  ],
  [
    /^(?:\d{1,2}-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)-\d{2})$/i,
    'are like 1-Mar, as spreadsheets write names that look like dates: write the names',
  ],
  [/^'.*'$/, 'are in single quotation marks: use double ones'],
  [/[\u00a0\u200b-\u200f\u2060\ufeff]/, 'hold invisible characters, such as U+00A0 or U+200B: remove them'],
];

/** Counts ids of forms that look changed. */
export class KeyNotes {
  readonly #seen = new Map<string, { count: number; line: number }>();

  add(column: string, id: string, line: number): void {
    for (const [form, advice] of forms) {
      if (!form.test(id)) continue;
      const note = `in ${column} ${advice}`;
      const seen = this.#seen.get(note);
      if (seen) seen.count += 1;
      else this.#seen.set(note, { count: 1, line });
    }
  }

  get warnings(): { line: number; message: string }[] {
    return [...this.#seen].map(([note, { count, line }]) => ({ line, message: `${count} ids ${note}.` }));
  }
}
