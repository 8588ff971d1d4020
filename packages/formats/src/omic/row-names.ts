import { Header, isNumber, RecordFault } from '../delimited/index.ts';
import { InputError } from '../input-error.ts';
import type { Row } from '../parquet/index.ts';
import type { OpenFile, Opening, TabularFormat } from './format.ts';

/**
 * Opens a file of a format, also if R wrote row names before the columns without a header for them. If lines end with empty
 * fields, or the header with an empty name, both readings have equally many columns. Then the values must decide: otherwise
 * each value would belong to the next column. Throws `InputError` if they cannot.
 */
export function openTable(format: TabularFormat, opening: Opening): OpenFile | undefined {
  const file = format.open(opening);
  if (!file || format.readsRowNames) return file;
  const named = withRowNames(opening);
  if (!named) return file;
  const [fit, namedFit] = [fitOf(format, opening), fitOf(format, named)];
  const gain = namedFit.lines - fit.lines || namedFit.columns - fit.columns;
  if (gain > 0) return format.open(named);
  if (gain < 0 || fit.lines === 0) return file;
  throw new InputError(doubtful, { line: 1 });
}

const doubtful =
  'The lines have one field more than the header: the first field may be a row name or a value. Write the table without row names, or name their column, and do not end lines with a separator.';

/**
 * Opens it with a nameless column before the others, if the lines may have one: row names are all different, and no other column is
 * left.
 */
function withRowNames(opening: Opening): Opening | undefined {
  const { header, records } = opening;
  const named = header.names.slice(0, header.names.findLastIndex((name) => name !== '') + 1);
  const [width = 0] = records.map((fields) => fields.length);
  if (records.length === 0 || records.some((fields) => fields.length !== width)) return undefined;
  const filled =
    1 + Math.max(...records.map((fields) => fields.findLastIndex((field) => field.trim() !== '')));
  const hasPlace = filled === named.length + 1 || (filled <= named.length && width > header.names.length);
  const rowNames = records.map(([name = '']) => name.trim());
  if (!hasPlace || rowNames.includes('') || new Set(rowNames).size < rowNames.length) return undefined;
  // A name may be missing above values as well: only numbers of rows are certainly no values.
  if (filled > header.names.length && !rowNames.every((name) => /^\d+$/.test(name))) return undefined;
  return { ...opening, header: new Header(['', ...named]) };
}

const partners = ['gene1', 'gene2'];
/** Not `gene_id`: Entrez's ids are numbers. */
const symbols = [...partners, 'gene', 'gene_name'];

/** Columns whose values are checked: those of another column would hardly pass. */
const strict = ['copy_number', 'status'];

/** Fit of lines to the format. */
interface Fit {
  /** Readable lines, counted twice if no number replaces the symbol of a gene. */
  lines: number;
  /** Strict columns that are not empty in every line. */
  columns: number;
}

function fitOf(format: TabularFormat, opening: Opening): Fit {
  const file = format.open({ ...opening, passOnly: false });
  const rowsOfLines = opening.records.map((fields) => rowsOf(file, fields));
  let lines = 0;
  for (const rows of rowsOfLines) lines += fitOfRows(rows);
  const filled = strict.filter((column) => rowsOfLines.flat().some((row) => row?.[column] !== undefined));
  return { lines, columns: filled.length };
}

/** Maps a line; undefined for one that cannot be read. */
function rowsOf(file: OpenFile | undefined, fields: readonly string[]): Row[] | undefined {
  try {
    return file?.rows(fields) ?? [];
  } catch (error) {
    if (error instanceof RecordFault) return undefined;
    throw error;
  }
}

function fitOfRows(rows: Row[] | undefined): 0 | 1 | 2 {
  if (!rows || rows.some(lacksPartner)) return 0;
  return rows.some((row) => symbols.some((gene) => isNumber(String(row[gene] ?? '')))) ? 1 : 2;
}

const lacksPartner = (row: Row): boolean =>
  partners.some((gene) => gene in row) && partners.some((gene) => row[gene] === undefined);
