import { type Answering, aggregateAnswer, type Row } from './aggregate.ts';
import type { Compiler } from './compile.ts';
import { type Collection, collections } from './fields.ts';
import { limits, type NamedField, type Query } from './query.ts';
import { fieldSql, onceJoins, patientless, targetRows } from './target-rows.ts';

/**
 * Builds the statement of a query over the relations that `compiler` noted. `offset`: rows of earlier pages.
 */
export function answering(query: Query, compiler: Compiler, offset: number): Answering {
  switch (query.domain) {
    case 'filter':
      return query.target.name === 'patient'
        ? patients(query, compiler, offset)
        : rows(query, compiler, offset);
    case 'count':
      return count(query, compiler);
    case 'samples':
      return samples(query, compiler, offset);
    case 'genes':
      return genes(query, compiler, offset);
    case 'aggregate':
      return aggregateAnswer(query, compiler);
  }
}

const pageSizeOf = (query: Query): number => query.options.limit ?? limits.rowsMax;

/** Fetches one row more than the page, which reveals whether another page exists. */
const pageSql = (query: Query, offset: number): string => `LIMIT ${pageSizeOf(query) + 1} OFFSET ${offset}`;

function patients(query: Query, compiler: Compiler, offset: number): Answering {
  const { fields } = query.options;
  const columns = fields.map((field, at) => `${fieldSql(field, patientless, 'u')} AS f${at}`);
  const sql = `SELECT ${['u.patient_id AS id', ...columns].join(', ')} FROM universe AS u
    SEMI JOIN (${compiler.patients(query.where)}) AS m ON m._project = u._project AND m.patient_id = u.patient_id
    ${onceJoins(fields, compiler, 'u', 'u.patient_id')}
    ORDER BY u._project, u.patient_id ${pageSql(query, offset)}`;
  const one = (row: Row): Row => ({
    id: row['id'],
    ...Object.fromEntries(fields.map(({ name }, at) => [name, row[`f${at}`]])),
  });
  return { sql, pageSize: pageSizeOf(query), data: (found) => ({ patients: found.map(one) }) };
}

function rows(query: Query, compiler: Compiler, offset: number): Answering {
  const { target, options } = query;
  const { from, where, patient } = targetRows(query, compiler);
  const fields = options.fields.length > 0 ? options.fields : allFields(target);
  const columns = fields.map((field, at) => `${fieldSql(field, target, 'r')} AS f${at}`);
  const withPatient = target.ofPatient ? [] : [`${patient} AS patient_id`];
  const sql = `SELECT ${[...columns, ...withPatient].join(', ')} FROM ${from}
    ${onceJoins(fields, compiler, 'r', patient)} WHERE ${where}
    ORDER BY ${orderOf(target)} ${pageSql(query, offset)}`;
  const one = (row: Row): Row => ({
    ...Object.fromEntries(fields.map(({ name }, at) => [name, row[`f${at}`]])),
    ...(!target.ofPatient && { patient_id: row['patient_id'] }),
  });
  return { sql, pageSize: pageSizeOf(query), data: (found) => ({ [target.plural]: found.map(one) }) };
}

function allFields(collection: Collection): NamedField[] {
  return collection.table.columns.flatMap(({ name }) => {
    const field = collection.fields.get(name);
    return field ? [{ name, collection, field }] : [];
  });
}

/** Returns a total order of rows, so that pages neither skip nor repeat any. */
function orderOf(target: Collection): string {
  const first = ['chromosome', 'position', 'start_position', 'patient_id', 'id'];
  const names = target.table.columns.map(({ name }) => name).filter((name) => name !== 'data');
  const ordered = [
    ...first.filter((name) => names.includes(name)),
    ...names.filter((name) => !first.includes(name)),
  ];
  return ['_project', ...ordered].map((name) => `r."${name}"`).join(', ');
}

function count(query: Query, compiler: Compiler): Answering {
  const data = (found: Row[]) => ({ count: Number(found[0]?.['n'] ?? 0) });
  if (query.target.name === 'patient') {
    const sql = `SELECT CAST(count(*) AS DOUBLE) AS n FROM universe SEMI JOIN (${compiler.patients(query.where)}) AS m
      USING (_project, patient_id)`;
    return { sql, data };
  }
  const { from, where } = targetRows(query, compiler);
  const counted = query.ofGenes ? 'count(DISTINCT r.gene)' : 'count(*)';
  return { sql: `SELECT CAST(${counted} AS DOUBLE) AS n FROM ${from} WHERE ${where}`, data };
}

/** Lists the samples of the patients, or of the rows if these have samples. */
function samples(query: Query, compiler: Compiler, offset: number): Answering {
  const { target } = query;
  const sequence = compiler.relation('sequence');
  const data = (found: Row[]) => ({ samples: found.map(({ id, patient }) => ({ id, patientId: patient })) });
  let chosen: string;
  if (target.name === 'patient') {
    chosen = `SELECT s._project, s.id, s.patient_id FROM ${sequence} AS s
      SEMI JOIN (${compiler.patients(query.where)}) AS m ON m._project = s._project AND m.patient_id = s.patient_id`;
  } else {
    const { from, where, patient } = targetRows(query, compiler);
    chosen = target.ofPatient
      ? `SELECT q._project, q.id, q.patient_id FROM ${sequence} AS q SEMI JOIN (SELECT r._project, ${patient} AS patient_id
          FROM ${from} WHERE ${where}) AS m ON m._project = q._project AND m.patient_id = q.patient_id`
      : `SELECT DISTINCT r._project, r.sample_id AS id, ${patient} AS patient_id FROM ${from} WHERE r.sample_id IS NOT NULL AND (${where})`;
  }
  const sql = `SELECT c.id, c.patient_id AS patient FROM (${chosen}) AS c ORDER BY c._project, c.id ${pageSql(query, offset)}`;
  return { sql, pageSize: pageSizeOf(query), data };
}

const variants = collections.get('variant') as Collection;

/** Lists the genes of the variants by number of patients with a variant. */
function genes(query: Query, compiler: Compiler, offset: number): Answering {
  const { from, where, patient } = targetRows({ ...query, target: variants }, compiler);
  const sql = `SELECT r.gene AS gene, CAST(count(DISTINCT CASE WHEN ${patient} IS NOT NULL THEN (r._project, ${patient}) END) AS DOUBLE) AS patients,
      CAST(count(DISTINCT (r.chromosome, r.position, r.reference, r.alternate)) AS DOUBLE) AS variants
    FROM ${from} WHERE r.gene IS NOT NULL AND (${where}) GROUP BY r.gene
    ORDER BY patients DESC, variants DESC, gene ${pageSql(query, offset)}`;
  const one = ({ gene, patients: patientCount, variants: variantCount }: Row): Row => ({
    gene,
    patientCount,
    variantCount,
  });
  return { sql, pageSize: pageSizeOf(query), data: (found) => ({ genes: found.map(one) }) };
}
