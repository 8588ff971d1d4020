import type { Answering, Row } from './answers.ts';
import type { Compiler } from './compile.ts';
import type { Metric, NamedField, Query } from './query.ts';
import { fieldSql, onceJoins, patientless, targetRows } from './target-rows.ts';

/** Buckets that are answered without a limit of the query's own. */
const bucketsDefault = 1000;
/** Bars of a histogram without a width of its own. */
const barsDefault = 10;

/** Rows of the target in groups, with metrics of each: the largest group first. */
export function aggregateAnswer(query: Query, compiler: Compiler): Answering {
  const { groupBy, metrics, limit } = query.options;
  const fields = [...groupBy, ...metrics.flatMap(({ field }) => field ?? [])];
  const base = baseOf(query, fields, compiler);
  const valueAt = (field: NamedField): string => `b.f${fields.indexOf(field)}`;
  const groups = groupBy.map((field, at) => `${valueAt(field)} AS g${at}`);
  const columns = metrics.map((metric, at) => `${metricSql(metric, valueAt)} AS m${at}`);
  const names = groupBy.map((_, at) => `g${at}`);
  const keys = groupBy.some(({ field }) => field.isOfProject) ? [...names, '_project'] : names;
  const sql = `SELECT * FROM (WITH base AS MATERIALIZED (${base})
    SELECT ${[...groups, ...columns, 'CAST(count(*) AS DOUBLE) AS n'].join(', ')} FROM base AS b
    ${keys.length > 0 ? `GROUP BY ${keys.join(', ')}` : ''}
    ORDER BY ${['n DESC', ...keys.map((key) => `${key} NULLS LAST`)].join(', ')} LIMIT ${limit ?? bucketsDefault})`;
  return { sql, data: (rows) => ({ buckets: rows.map((row) => bucketOf(row, groupBy, metrics)) }) };
}

/** The rows that are aggregated: a patient once, or each row of the target. */
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

function metricSql({ op, field, interval }: Metric, valueAt: (field: NamedField) => string): string {
  const value = field ? valueAt(field) : '*';
  switch (op) {
    case 'count':
      return `CAST(count(${value}) AS DOUBLE)`;
    case 'countDistinct':
      return `CAST(count(DISTINCT ${field?.field.isOfProject ? ofProject(value) : value}) AS DOUBLE)`;
    case 'histogram':
      return histogramSql(value, interval);
    default:
      return `${op}(${value})`;
  }
}

/** An id together with its project: under one id each project has something else. */
const ofProject = (value: string): string => `CASE WHEN ${value} IS NOT NULL THEN (b._project, ${value}) END`;

/**
 * The bars of a histogram as JSON: their width, and the lower end and count of each that is not empty. The ends are the same in
 * all groups: multiples of the width that was asked for, else tenths of the whole range, the last of which holds its upper end.
 */
function histogramSql(value: string, interval: number | undefined): string {
  const bars = (width: string, from: string): string =>
    `CAST(to_json({'width': ${width}, 'bars': map_entries(histogram(${from}) FILTER (${value} IS NOT NULL))}) AS VARCHAR)`;
  if (interval !== undefined)
    return bars(`any_value(${interval})`, `floor(${value} / ${interval}) * ${interval}`);
  const range = (of: string): string => `(SELECT ${of} FROM base AS b)`;
  const low = range(`CAST(min(${value}) AS DOUBLE)`);
  const width = range(`CAST(max(${value}) - min(${value}) AS DOUBLE) / ${barsDefault}`);
  const bar = `least(coalesce(floor((${value} - ${low}) / nullif(${width}, 0)), 0), ${barsDefault - 1})`;
  return bars(`any_value(${width})`, `${low} + ${bar} * ${width}`);
}

/** JSON of `histogramSql` as the answer shows it. */
function barsOf(text: unknown): { from: number; to: number; count: number }[] {
  const { width, bars } = JSON.parse(String(text)) as {
    width: number | null;
    bars: { key: number; value: number }[] | null;
  };
  return (bars ?? []).map(({ key, value }) => ({ from: key, to: key + (width ?? 0), count: value }));
}

function bucketOf(row: Row, groupBy: NamedField[], metrics: Metric[]): Row {
  return {
    key: Object.fromEntries(groupBy.map(({ name }, at) => [name, row[`g${at}`]])),
    count: row['n'],
    metrics: metrics.map(({ op, field }, at) => ({
      op,
      ...(field && { field: field.name }),
      value: op === 'histogram' ? barsOf(row[`m${at}`]) : (row[`m${at}`] ?? null),
    })),
  };
}
