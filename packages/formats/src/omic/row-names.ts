import { Header, isNumber, RecordFault } from '../delimited/index.ts';
import { InputError } from '../input-error.ts';
import type { Row } from '../parquet/index.ts';
import type { OpenFile, Opening, TabularFormat } from './format.ts';

/**
 * Opens a file of a format, also where R wrote the names of rows before the columns, without a place in the header. Where lines end with empty fields, or the header
 * with an empty name, both readings have as many columns, and what the lines hold has to tell: else every value would be of the column beside. Throws `InputError` where it does not.
 */
export function openTable(format: TabularFormat, opening: Opening): OpenFile | undefined {
  const file = format.open(opening);
  if (!file || format.readsRowNames) return file;
  const named = withRowNames(opening);
  if (!named) return file;
  const [fit, namedFit] = [fitOf(format, opening), fitOf(format, named)];
  if (namedFit > fit) return format.open(named);
  if (fit > namedFit || fit === 0) return file;
  throw new InputError(doubtful, { line: 1 });
}

const doubtful =
  'The lines have a field more than the header, and nothing tells whether the first of them is the name of the row. Write the table without names of rows, or with a name for their column, and without a separator at the end of lines.';

/** The same with a nameless column before the others, where the lines may have one: names of rows are all different, and with the columns there is nothing else. */
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
  // A name may have been forgotten as well where a value stands under none: only numbers of rows are surely no values.
  if (filled > header.names.length && !rowNames.every((name) => /^\d+$/.test(name))) return undefined;
  return { ...opening, header: new Header(['', ...named]) };
}

const partners = ['gene1', 'gene2'];
/** Not `gene_id`: Entrez's ids are numbers. */
const symbols = [...partners, 'gene', 'gene_name'];

/** How well lines are what the format says: those that can be read, and twice so where no number stands for the symbol of a gene. */
function fitOf(format: TabularFormat, opening: Opening): number {
  const file = format.open({ ...opening, passOnly: false });
  let fit = 0;
  for (const fields of opening.records) fit += fitOfRows(file, fields);
  return fit;
}

function fitOfRows(file: OpenFile | undefined, fields: readonly string[]): 0 | 1 | 2 {
  try {
    const rows = file?.rows(fields) ?? [];
    if (rows.some(lacksPartner)) return 0;
    return rows.some((row) => symbols.some((gene) => isNumber(String(row[gene] ?? '')))) ? 1 : 2;
  } catch (error) {
    if (error instanceof RecordFault) return 0;
    throw error;
  }
}

const lacksPartner = (row: Row): boolean =>
  partners.some((gene) => gene in row) && partners.some((gene) => row[gene] === undefined);
