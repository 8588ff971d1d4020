import { identifier, literal } from '@ploidy/engine';
import { invalidInput, Problem } from '../../../base/problem.ts';

/** Column of a result; `type`: as the engine writes it. */
export interface ResultColumn {
  name: string;
  type: string;
}

/** Comparisons of a column with a text, which the engine reads as the type of the column. */
export const resultComparisons = [
  'equals',
  'notEquals',
  'contains',
  'notLess',
  'notGreater',
  'missing',
  'present',
] as const;
type ResultComparison = (typeof resultComparisons)[number];

interface ResultFilter {
  column: string;
  comparison: ResultComparison;
  /** Absent for `missing` and `present`. */
  value?: string;
}

/** Rows of a result that are meant: those that every filter keeps and, with `search`, that hold its text in a column. */
export interface RowChoice {
  filters?: ResultFilter[];
  search?: string;
}

interface ResultOrder {
  column: string;
  descending?: boolean;
}

/** Name of the relation that statements of a result read. */
export const resultTable = 'result';

/** Number of a row in its file, from 0, which the reader of files adds. */
const rowNumber = 'file_row_number';

/** Returns the SQL of the relation over a result file. */
export const resultSource = (path: string): string =>
  `SELECT * FROM read_parquet(${literal(path)}, ${rowNumber} = true)`;

/** Returns the columns without the row number. The engine refuses a result with a column of that name. */
export function columnsOfResult(columns: readonly ResultColumn[]): ResultColumn[] {
  return columns.filter(({ name }) => name !== rowNumber);
}

const everyColumn = `SELECT * EXCLUDE (${rowNumber}) FROM ${resultTable}`;

/** Page of chosen rows in an order. Rows of equal value stay in the order of the file; missing values are last. */
export interface RowsPage extends RowChoice {
  orderBy?: ResultOrder[];
  offset: number;
  rowsMax: number;
}

/**
 * Returns the statement of a page. It finds the numbers of the rows first, from few columns, and then reads these rows alone: a deep
 * page of ten million sorted rows takes two seconds so, and six with whole rows.
 */
export function pageStatement(columns: readonly ResultColumn[], page: RowsPage): string {
  const { offset, rowsMax } = page;
  const where = conditionOf(columns, page);
  const order = orderOf(columns, page.orderBy ?? []);
  if (where === '' && !page.orderBy?.length)
    return `${everyColumn} WHERE ${rowNumber} >= ${offset} AND ${rowNumber} < ${offset + rowsMax} ORDER BY ${rowNumber}`;
  const numbers = `SELECT ${rowNumber} FROM ${resultTable}${where} ORDER BY ${order} LIMIT ${rowsMax} OFFSET ${offset}`;
  return `${everyColumn} WHERE ${rowNumber} IN (${numbers}) ORDER BY ${order}`;
}

/** Returns the statement of all chosen rows in their order. */
export function everyRowStatement(
  columns: readonly ResultColumn[],
  { orderBy = [], ...choice }: RowChoice & { orderBy?: ResultOrder[] },
): string {
  const where = conditionOf(columns, choice);
  // The engine keeps the order of a file by itself, without a sort of all its rows.
  return `${everyColumn}${where}${orderBy.length > 0 ? ` ORDER BY ${orderOf(columns, orderBy)}` : ''}`;
}

/** Returns the statement of the number of chosen rows and, with `column`, of its measures among them. */
export function summaryStatement(
  columns: readonly ResultColumn[],
  { column, ...choice }: RowChoice & { column?: string },
): string {
  const where = conditionOf(columns, choice);
  const measures = column === undefined ? [] : measuresOf(found(columns, column, 'body/column'));
  return `SELECT ${['count(*) AS n', ...measures].join(', ')} FROM ${resultTable}${where}`;
}

/** Measures of a column; those that its type does not have are NULL. */
function measuresOf({ name, type }: ResultColumn): string[] {
  const value = identifier(name);
  const ordered = isOrdered(type);
  const median = isNumber(type)
    ? `median(${value})`
    : isMoment(type)
      ? `quantile_disc(${value}, 0.5)`
      : 'NULL';
  return [
    `count(*) - count(${value}) AS missing`,
    `count(DISTINCT ${value}) AS distinct_values`,
    ...(['min', 'max'] as const).map((name) => `${ordered ? `${name}(${value})` : 'NULL'} AS ${name}`),
    `${median} AS median`,
  ];
}

const isNumber = (type: string): boolean =>
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(\d+,\s?\d+\))$/.test(type);
const isMoment = (type: string): boolean => /^(?:DATE|TIME|TIMESTAMP\w*(?: WITH TIME ZONE)?)$/.test(type);
const isOrdered = (type: string): boolean =>
  isNumber(type) || isMoment(type) || type === 'VARCHAR' || type === 'BOOLEAN';

function orderOf(columns: readonly ResultColumn[], orderBy: readonly ResultOrder[]): string {
  const keys = orderBy.map(
    ({ column, descending }, at) =>
      `${identifier(found(columns, column, `body/orderBy/${at}/column`).name)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  return [...keys, rowNumber].join(', ');
}

function conditionOf(columns: readonly ResultColumn[], { filters = [], search = '' }: RowChoice): string {
  const conditions = filters.map((filter, at) => {
    const path = `body/filters/${at}`;
    return filterSql(found(columns, filter.column, `${path}/column`), filter, `${path}/value`);
  });
  const texts = columns.map(({ name }) => textHas(identifier(name), search));
  if (search !== '' && texts.length > 0) conditions.push(`(${texts.join(' OR ')})`);
  return conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
}

const operators = { equals: '=', notEquals: '<>', notLess: '>=', notGreater: '<=' } as const;

function filterSql({ name, type }: ResultColumn, { comparison, value }: ResultFilter, path: string): string {
  const column = identifier(name);
  if (comparison === 'missing') return `${column} IS NULL`;
  if (comparison === 'present') return `${column} IS NOT NULL`;
  if (value === undefined) throw invalidInput([{ path, message: 'is needed by this comparison' }]);
  if (comparison === 'contains') return textHas(column, value);
  if (!isOrdered(type))
    throw invalidInput([{ path, message: `cannot be compared with a column of the type ${type}` }]);
  return `${column} ${operators[comparison]} CAST(${literal(value)} AS ${type})`;
}

/** Both in small letters; a missing value holds no text. */
const textHas = (column: string, text: string): string =>
  `coalesce(contains(lower(CAST(${column} AS VARCHAR)), lower(${literal(text)})), false)`;

function found(columns: readonly ResultColumn[], name: string, path: string): ResultColumn {
  const column = columns.find((one) => one.name === name);
  if (!column) throw invalidInput([{ path, message: 'is no column of the result' }]);
  return column;
}

/** Returns a refusal of a file that is no result in Parquet. */
export const notPaged = (): Problem =>
  new Problem(
    422,
    'RESULT_NOT_PAGED',
    'Rows are returned of results of queries in the format parquet only. Download the file, or run the query with "format": "parquet".',
  );
