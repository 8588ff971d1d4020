import { pipeline } from 'node:stream/promises';
import { linesIn, type Query, type RowsPage } from '@ploidy/client';
import { type Cell, csvRows } from '../csv.ts';
import { alignedTable } from '../table.ts';
import { documentText, escapedControls } from '../visible.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** Prints bytes or text as they arrive. */
export async function printChunks(chunks: AsyncIterable<Uint8Array | string>): Promise<void> {
  await pipeline(chunks, process.stdout, { end: false });
}

/** Writes the query with its rows as one JSON document, row by row. Values have the types of the result; NULL is `null`. */
export async function* jsonOf(query: object, ndjson: Bytes): AsyncGenerator<string> {
  yield `${documentText(query).slice(0, -1)},"rows":[`;
  let separator = '\n';
  for await (const line of linesIn(ndjson)) {
    yield separator + escapedControls(line);
    separator = ',\n';
  }
  yield '\n]}\n';
}

/** Writes rows with tabs between the values; tabs, line ends and backslashes within a value are escaped. NULL is empty. */
export async function* tsvOf(csv: Bytes): AsyncGenerator<string> {
  for await (const rows of csvRows(csv))
    yield rows.map((row) => `${row.map((cell) => tsvCell(cell ?? '')).join('\t')}\n`).join('');
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const tsvCell = (text: string): string =>
  text.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character);

/** Prints the first rows as an aligned table; reads no more of the result than that. */
export async function printTable(query: Query, result: Bytes, rowsMax: number): Promise<void> {
  const all: Cell[][] = [];
  for await (const rows of csvRows(result)) {
    all.push(...rows.slice(0, rowsMax + 1 - all.length));
    if (all.length > rowsMax) break;
  }
  const [headings = [], ...rows] = all;
  const more = (query.rowCount ?? rows.length) - rows.length;
  printAligned(headings, rows, more > 0 ? `${more} more rows` : undefined);
}

/** Prints the rows of a page as an aligned table. */
export function printPage({ columns, rows }: RowsPage, rowsMax: number): void {
  const cells = rows.slice(0, rowsMax).map((row) => row.map(cellOf));
  const headings = columns.map(({ name }) => name);
  printAligned(headings, cells, rows.length > rowsMax ? 'more rows' : undefined);
}

const cellOf = (value: unknown): Cell =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

function printAligned(headings: Cell[], rows: Cell[][], more: string | undefined): void {
  const rest = more === undefined ? '' : `… ${more} (--rows shows more, --save PATH keeps all)\n`;
  process.stdout.write(`${alignedTable(headings, rows)}\n${rest}`);
}
