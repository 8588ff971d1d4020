import type { DuckdbSql } from '../duckdb.ts';
import type { QueryTask } from '../engine.ts';
import { writeArrow } from './arrow/write-arrow.ts';
import { headersOf, writtenNames } from './column-names.ts';
import { copyToCsv } from './csv.ts';
import { copyFirstColumn, copyToNdjson, copyToRows } from './ndjson.ts';
import { type Form, inForm } from './nested-form.ts';
import { portableType } from './portable-types.ts';
import { literal } from './quote.ts';
import { type FileColumn, selectColumns } from './select-columns.ts';
import { copyToTrino } from './trino-rows.ts';

/** Result of a statement that was planned. */
interface PlannedResult {
  columns: FileColumn[];
  /** Writes the file; resolves with the number of rows. */
  write(): Promise<number>;
}

type ResultForm = Pick<QueryTask, 'format' | 'page' | 'timestamps'>;

/** Plans a statement whose rows are to be written to `path`. */
export async function planResult(
  sql: DuckdbSql,
  statement: string,
  path: string,
  task: ResultForm = {},
): Promise<PlannedResult> {
  const columns = await columnsOf(sql, statement);
  return { columns, write: writerOf(sql, statement, path, columns, task) };
}

function writerOf(
  sql: DuckdbSql,
  statement: string,
  path: string,
  columns: FileColumn[],
  { format = 'csv', page = allRows, timestamps = 'utc' }: ResultForm,
): PlannedResult['write'] {
  switch (format) {
    case 'rows':
      return () => sql.run(copyToRows(statement, columns, path, { ...page, timestamps }));
    case 'trino':
      return () => sql.run(copyToTrino(statement, columns, path));
    case 'csv':
      return () => sql.run(copyToCsv(statement, columns, path, timestamps));
    case 'lines':
      return () => sql.run(copyFirstColumn(statement, columns, path));
    case 'ndjson':
      return () => sql.run(copyToNdjson(statement, columns, path, timestamps));
    case 'parquet': {
      const select = selectColumns(statement, columns, portable);
      return () => sql.run(`COPY (${select}) TO ${literal(path)} (FORMAT parquet, USE_TMP_FILE false)`);
    }
    case 'arrow': {
      const select = selectColumns(statement, columns, portable);
      const types = columns.map(({ header, type }) => ({ header, type: portableType(type) }));
      return () => writeArrow(sql, select, types, path);
    }
  }
}

const allRows = { offset: 0, rowsMax: Number.MAX_SAFE_INTEGER };

const portable: Parameters<typeof selectColumns>[2] = (value, type) => {
  const to = portableType(type);
  return inForm(to.name === type.name ? value : `CAST(${value} AS ${to.name})`, to, finite);
};

/** Readers take infinite dates for days far in the future: an error is more honest. */
const finite: Form = {
  isFor: (name) => /^(?:DATE$|TIMESTAMP)/.test(name),
  of: (value) =>
    `CASE WHEN isfinite(${value}) THEN ${value} WHEN ${value} IS NOT NULL THEN error('an infinite date or timestamp has no value in Parquet and Arrow') END`,
};

/** Plans a statement and returns its columns, with the headers of a result. */
export async function columnsOf(sql: DuckdbSql, statement: string): Promise<FileColumn[]> {
  const columns = await sql.columns(statement);
  const tree = JSON.parse(await sql.text('SELECT json_serialize_sql($1::VARCHAR)', statement));
  const headers = headersOf(
    columns.map(({ name }) => name),
    writtenNames(tree),
  );
  return columns.map(({ type }, index) => ({ header: headers[index] ?? '', type }));
}
