import { pipeline } from 'node:stream/promises';
import type { Query } from '@ploidy/client';
import { type Cell, csvRows } from '../csv.ts';
import { alignedTable } from '../table.ts';
import { documentText } from '../visible.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** The result as it is. */
export async function printCsv(result: Bytes): Promise<void> {
  await pipeline(result, process.stdout, { end: false });
}

/**
 * The query with its rows as one JSON document, written as the rows come. Values are texts, as in the CSV (an id such as `007`
 * stays whole), NULL is `null`.
 */
export async function printJson(query: Query, result: Bytes): Promise<void> {
  await pipeline(jsonOf(query, result), process.stdout, { end: false });
}

async function* jsonOf(query: Query, result: Bytes): AsyncGenerator<string> {
  let headings: Cell[] | undefined;
  let separator = '\n';
  for await (const rows of csvRows(result)) {
    let text = '';
    if (headings === undefined) {
      headings = rows.shift();
      if (headings === undefined) continue;
      text = `${documentText({ ...query, columns: headings }).slice(0, -1)},"rows":[`;
    }
    for (const row of rows) {
      text += separator + objectText(headings, row);
      separator = ',\n';
    }
    yield text;
  }
  yield '\n]}\n';
}

function objectText(headings: Cell[], row: Cell[]): string {
  return documentText(Object.fromEntries(row.map((cell, at) => [headings[at] ?? '', cell])));
}

/** The first rows as an aligned table; reads no more of the result than that. */
export async function printTable(query: Query, result: Bytes, rowsMax: number): Promise<void> {
  const all: Cell[][] = [];
  for await (const rows of csvRows(result)) {
    all.push(...rows.slice(0, rowsMax + 1 - all.length));
    if (all.length > rowsMax) break;
  }
  const [headings = [], ...rows] = all;
  const more = (query.rowCount ?? rows.length) - rows.length;
  const rest = more > 0 ? `… ${more} more rows (--rows shows more, --save PATH keeps all)\n` : '';
  process.stdout.write(`${alignedTable(headings, rows)}\n${rest}`);
}
