import type { Compiler } from './compile.ts';
import { type Histogram, histogramOfTenths, histogramOfWidth } from './histogram.ts';
import type { Metric, NamedField, Query } from './query.ts';
import { fieldSql, onceJoins, patientless, targetRows } from './target-rows.ts';

/** Row of the engine, with JSON values. */
export type Row = Record<string, unknown>;

/** Statement of a query, and the conversion of its rows to the answer. */
export interface Answering {
  sql: string;
  /** Builds the answer's `data`. */
  data: (rows: Row[]) => Record<string, unknown>;
  /** Rows of a page; absent: a single page. */
  pageSize?: number;
}

/** Default limit of buckets. */
const bucketsDefault = 1000;

/** Builds groups of the target's rows with metrics, largest group first. */
export function aggregateAnswer(query: Query, compiler: Compiler): Answering {
  const { groupBy, metrics, limit } = query.options;
  const fields = [...groupBy, ...metrics.flatMap(({ field }) => field ?? [])];
  const base = baseOf(query, fields, compiler);
  const valueAt = (field: NamedField): string => `b.f${fields.indexOf(field)}`;
  const groups = groupBy.map((field, at) => `${valueAt(field)} AS g${at}`);
  const histograms = metrics.map((metric, at) => histogramOf(metric, valueAt, `ends.e${at}`));
  const columns = metrics.map(
    (metric, at) => `${histograms[at]?.sql ?? metricSql(metric, valueAt)} AS m${at}`,
  );
  const ends = histograms.flatMap((histogram, at) =>
    histogram?.ofAll ? `(${histogram.ofAll}) AS e${at}` : [],
  );
  const relations = [`base AS MATERIALIZED (${base})`];
  if (ends.length > 0) relations.push(`ends AS MATERIALIZED (SELECT ${ends.join(', ')})`);
  const names = groupBy.map((_, at) => `g${at}`);
  const keys = groupBy.some(({ field }) => field.isOfProject) ? [...names, '_project'] : names;
  const sql = `SELECT * FROM (WITH ${relations.join(', ')}
    SELECT ${[...groups, ...columns, 'CAST(count(*) AS DOUBLE) AS n'].join(', ')} FROM ${ends.length > 0 ? 'base AS b CROSS JOIN ends' : 'base AS b'}
    ${keys.length > 0 ? `GROUP BY ${keys.join(', ')}` : ''}
    ORDER BY ${['n DESC', ...keys.map((key) => `${key} NULLS LAST`)].join(', ')} LIMIT ${limit ?? bucketsDefault})`;
  return {
    sql,
    data: (rows) => ({ buckets: rows.map((row) => bucketOf(row, groupBy, metrics, histograms)) }),
  };
}

/** Selects the rows to aggregate: one per patient, or each row of the target. */
function baseOf(query: Query, fields: NamedField[], compiler: Compiler): string {
  const ofPatients = query.target.name === 'patient';
  const select = (row: string): string => {
    const target = ofPatients ? patientless : query.target;
    const values = fields.map((field, at) => `${fieldSql(field, target, row)} AS f${at}`);
    return [`${row}._project AS _project`, ...values].join(', ');
  };
  if (ofPatients) {
    return `SELECT ${select('u')} FROM universe AS u
      SEMI JOIN (${compiler.patients(query.where)}) AS m ON m._project = u._project AND m.patient_id = u.patient_id
      ${onceJoins(fields, compiler, 'u', 'u.patient_id')}`;
  }
  const { from, where, patient } = targetRows(query, compiler);
  return `SELECT ${select('r')} FROM ${from} ${onceJoins(fields, compiler, 'r', patient)} WHERE ${where}`;
}

function histogramOf(
  { op, field, interval }: Metric,
  valueAt: (field: NamedField) => string,
  name: string,
): Histogram | undefined {
  if (op !== 'histogram' || !field) return undefined;
  const value = valueAt(field);
  return interval === undefined
    ? histogramOfTenths(value, 'base AS b', name)
    : histogramOfWidth(value, interval);
}

function metricSql({ op, field }: Metric, valueAt: (field: NamedField) => string): string {
  const value = field ? valueAt(field) : '*';
  switch (op) {
    case 'count':
      return `CAST(count(${value}) AS DOUBLE)`;
    case 'countDistinct':
      return `CAST(count(DISTINCT ${field?.field.isOfProject ? ofProject(value) : value}) AS DOUBLE)`;
    case 'min':
    case 'max':
    case 'avg':
    case 'sum':
    case 'histogram':
      return `${op}(${value})`;
  }
}

/** Pairs an id with its project: ids are unique within a project only. */
const ofProject = (value: string): string => `CASE WHEN ${value} IS NOT NULL THEN (b._project, ${value}) END`;

function bucketOf(
  row: Row,
  groupBy: NamedField[],
  metrics: Metric[],
  histograms: (Histogram | undefined)[],
): Row {
  return {
    key: Object.fromEntries(groupBy.map(({ name }, at) => [name, row[`g${at}`]])),
    count: row['n'],
    metrics: metrics.map(({ op, field }, at) => ({
      op,
      ...(field && { field: field.name }),
      value: histograms[at]?.bars(row[`m${at}`]) ?? row[`m${at}`] ?? null,
    })),
  };
}
