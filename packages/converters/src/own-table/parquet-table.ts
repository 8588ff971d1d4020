import { open } from 'node:fs/promises';
import type { Reporter, Sql } from '@ploidy/engine';
import { identifier, literal } from '@ploidy/engine/task-runtime';
import {
  absentWords,
  type ColumnType,
  InputError,
  keyColumns,
  kindOf,
  type OwnColumn,
  type OwnTableRequest,
  planColumns,
  settleColumn,
  wholeAccount,
} from '@ploidy/formats';
import { type FileColumn, fileColumns, requireModestFooter } from './parquet-footer.ts';

/** Reports whether a file begins as Parquet does (Apache Parquet, "File Format"). */
export async function isParquet(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString('latin1') === 'PAR1';
  } finally {
    await file.close();
  }
}

interface ParquetWork {
  sql: Sql;
  sourcePath: string;
  path: string;
  request: OwnTableRequest;
  report: Reporter;
}

/** Column of the source, with the SQL of its value. */
interface SourceColumn {
  title: string;
  type: ColumnType;
  value: string;
  isFraction: boolean;
  /** Condition for values without a place in the table: NaN, infinities. */
  isLost?: string;
}

/** Writes a Parquet file of any schema as the file of a table. */
export async function writeParquetTable(work: ParquetWork): Promise<{ rows: number; columns: OwnColumn[] }> {
  try {
    return await write(work);
  } catch (error) {
    const isBroken =
      error instanceof Error &&
      /^(?:Invalid|IO|Not implemented|Conversion|TProtocol|INTERNAL)/.test(error.message);
    if (!isBroken || error instanceof InputError) throw error;
    throw new InputError('The Parquet file is damaged, encrypted, or of an unsupported kind.', {}, error);
  }
}

async function write({ sql, sourcePath, path, request, report }: ParquetWork): Promise<{
  rows: number;
  columns: OwnColumn[];
}> {
  const from = `read_parquet(${literal(sourcePath)})`;
  await requireModestFooter(sql, sourcePath);
  const described = await sql.rows(`DESCRIBE SELECT * FROM ${from}`);
  const inFile = await fileColumns(sql, sourcePath);
  requireNarrow(inFile);
  const source = described.map((row) => sourceColumn(String(row['column_name']), String(row['column_type'])));
  await datesOf(sql, from, source);
  const planned = planColumns(
    inFile.map(({ title }) => title),
    request,
  );
  const columns = planned.map((plan, place) => {
    const { type, isFraction } = source[place] as SourceColumn;
    if (plan.type !== undefined && plan.type !== 'string' && plan.type !== type)
      throw new InputError(
        `The column ${plan.name} is of type ${type} in the file: it can only become a string.`,
      );
    if (keyColumns.some((key) => key === plan.name) && isFraction)
      throw new InputError(`The ids in ${plan.name} are numbers with fractions: write them as text.`);
    return settleColumn(plan, type);
  });
  await warnOfLost(sql, from, source, columns, report);
  warnOfNanoseconds(inFile, columns, report);
  const values = columns.map(({ name, type }, place) => {
    const { value } = source[place] as SourceColumn;
    const words = keyColumns.some((key) => key === name) ? absentWords : [];
    const given = type === 'string' ? `CAST(${value} AS VARCHAR)` : value;
    return `${withoutNulls(given, type, [...(request.nulls ?? []), ...words])} AS ${identifier(name)}`;
  });
  const keys = keyColumns.filter((key) => columns.some(({ name }) => name === key));
  const order = keys.length > 0 ? ` ORDER BY ${keys.join(', ')}` : '';
  const rows = await sql.run(
    `COPY (SELECT ${values.join(', ')} FROM ${from}${order}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  );
  report.account(wholeAccount(rows, columns));
  return { rows, columns };
}

/** Throws `InputError` for decimals that the engine would read as numbers of another size. */
function requireNarrow(inFile: readonly FileColumn[]): void {
  const wide = inFile.find(({ isTooWide }) => isTooWide);
  if (wide)
    throw new InputError(
      `The column "${wide.title}" holds decimals of more than 38 digits: write them as text, or with fewer digits.`,
    );
}

/** SQL of a value that is NULL for the words of no value. Numbers have no spelling: `-99` is also -99.0. */
function withoutNulls(value: string, type: ColumnType, words: readonly string[]): string {
  if (words.length === 0) return value;
  const isWord = `CAST(${value} AS VARCHAR) IN (${words.map(literal).join(', ')})`;
  const numbers = words.filter((word) => kindOf(word) === 'int' || kindOf(word) === 'float');
  const isNumber =
    type === 'float' && numbers.length > 0
      ? ` OR ${value} IN (${numbers.map((word) => `CAST(${literal(word)} AS DOUBLE)`).join(', ')})`
      : '';
  return `CASE WHEN ${isWord}${isNumber} THEN NULL ELSE ${value} END`;
}

function sourceColumn(title: string, engineType: string): SourceColumn {
  const name = identifier(title);
  const as = (type: ColumnType, value: string, isFraction = false): SourceColumn => ({
    title,
    type,
    value,
    isFraction,
  });
  if (/^(?:U?(?:TINYINT|SMALLINT)|U?INTEGER|BIGINT)$/.test(engineType))
    return as('int', `CAST(${name} AS BIGINT)`);
  if (engineType === 'FLOAT' || engineType === 'DOUBLE') {
    // By way of its text a FLOAT keeps its digits: 0.1 would be 0.10000000149011612.
    const exact = engineType === 'FLOAT' ? `CAST(${name} AS VARCHAR)` : name;
    const value = `CASE WHEN isfinite(${name}) THEN CAST(${exact} AS DOUBLE) END`;
    return { ...as('float', value, true), isLost: `NOT isfinite(${name})` };
  }
  const [, width, scale] = /^DECIMAL\((\d+),(\d+)\)$/.exec(engineType) ?? [];
  if (Number(width) <= 15) return as('float', `CAST(${name} AS DOUBLE)`, Number(scale) > 0);
  if (engineType === 'BOOLEAN') return as('boolean', name);
  if (engineType === 'DATE')
    return {
      ...as('date', `CASE WHEN isfinite(${name}) THEN ${name} END`),
      isLost: `NOT isfinite(${name})`,
    };
  if (engineType === 'BLOB' || engineType === 'GEOMETRY')
    throw new InputError(`The column "${title}" holds bytes, which a table cannot store: leave it out.`);
  if (/\[\d*\]$|^(?:STRUCT|MAP|UNION)\(/.test(engineType))
    return nested(name, (value) => as('string', value));
  return as('string', `CAST(${name} AS VARCHAR)`);
}

/** JSON of a nested value. It has no words for NaN and infinities, but the engine writes them outside of strings. */
function nested(name: string, as: (value: string) => SourceColumn): SourceColumn {
  const json = `CAST(to_json(${name}) AS VARCHAR)`;
  const isLost = `regexp_matches(regexp_replace(${json}, '"(\\\\.|[^"\\\\])*"', '', 'g'), 'NaN|Infinity')`;
  return { ...as(`CASE WHEN NOT ${isLost} THEN ${json} END`), isLost };
}

/** Converts times that are all midnight to dates: data frames have no other type for a day. */
async function datesOf(sql: Sql, from: string, source: SourceColumn[]): Promise<void> {
  const described = await sql.rows(`DESCRIBE SELECT * FROM ${from}`);
  const times = described.flatMap((row, place) =>
    /^TIMESTAMP(?:_\w+)?$/.test(String(row['column_type'])) ? [place] : [],
  );
  if (times.length === 0) return;
  const tests = times.map((place) => {
    const name = identifier(source[place]?.title ?? '');
    // Compared in its own type: a TIMESTAMP lacks the nanoseconds of a TIMESTAMP_NS.
    const day = `CAST(CAST(${name} AS DATE) AS ${described[place]?.['column_type']})`;
    return `count(*) FILTER (WHERE ${name} <> ${day} OR NOT isfinite(${name}::TIMESTAMP)) = 0 AND count(${name}) > 0 AS t${place}`;
  });
  const [found] = await sql.rows(`SELECT ${tests.join(', ')} FROM ${from}`);
  for (const place of times) {
    const column = source[place];
    if (!column || found?.[`t${place}`] !== true) continue;
    column.type = 'date';
    column.value = `CAST(${identifier(column.title)} AS DATE)`;
  }
}

function warnOfNanoseconds(inFile: readonly FileColumn[], columns: OwnColumn[], report: Reporter): void {
  for (const [place, { losesNanoseconds }] of inFile.entries())
    if (losesNanoseconds)
      report.warn({
        message: `The column ${columns[place]?.name} holds times in nanoseconds, which are kept to the microsecond.`,
      });
}

async function warnOfLost(
  sql: Sql,
  from: string,
  source: SourceColumn[],
  columns: OwnColumn[],
  report: Reporter,
): Promise<void> {
  const tested = source.flatMap(({ isLost }, place) => (isLost === undefined ? [] : [{ isLost, place }]));
  if (tested.length === 0) return;
  const counts = tested.map(({ isLost, place }) => `count(*) FILTER (WHERE ${isLost})::INTEGER AS n${place}`);
  const [found] = await sql.rows(`SELECT ${counts.join(', ')} FROM ${from}`);
  for (const { place } of tested) {
    const lost = Number(found?.[`n${place}`]);
    if (lost > 0)
      report.warn({
        message: `The column ${columns[place]?.name} holds NaN or infinite values, which become NULL: ${lost}.`,
      });
  }
}
