import type { QueryTable, SettledRows } from '@ploidy/engine';
import type { Table } from '@ploidy/formats';
import { namesOf } from '../catalogue/segment-rows.ts';
import type { Masks } from './masks.ts';
import type { RowAccess } from './row-access.ts';
import { subjectCondition } from './subject-sql.ts';

/** Relation as SQL over Parquet files, with the files that it opens. */
export type Relation = Pick<QueryTable, 'sql' | 'files'>;

/** Column with the patient's hash, by which small counts are counted. Users' statements never name it. */
const countedColumn = '_patient';

const patient = '"_subject"';

/** Reports whether the rows of a table identify a patient. */
export function hasPatients({ columns }: Table): boolean {
  return columns.some(({ name }) => name === 'patient_id' || name === 'sample_id');
}

/**
 * Builds a caller's view of each table: full rows, masked rows, nothing else. Hidden rows are filtered into a
 * separate file before the statement starts. In one plan the engine could evaluate a caller's condition on
 * hidden rows first, and an error would quote them. Masked values need no such care.
 */
export class VisibleTables {
  readonly #access: RowAccess;
  readonly #masks: Masks;

  constructor(access: RowAccess, masks: Masks) {
    this.#access = access;
    this.#masks = masks;
  }

  /** `sequence`: relation that maps samples to patients. Masked rows have an order of hashes, not that of the files. */
  view(table: Table, relation: Relation, sequence: () => Relation): Omit<QueryTable, 'name'> {
    const { real, masked } = this.#access;
    if (real === true) return relation;
    const rows = this.#rows(table, relation, sequence);
    return masked === false ? rows : { ...rows, orderBy: orderColumns(table) };
  }

  #rows(table: Table, relation: Relation, sequence: () => Relation): Omit<QueryTable, 'name'> {
    const { real, masked, countsMin } = this.#access;
    const source = withPatient(table, relation, sequence, masked !== true || real !== false || countsMin > 0);
    const isReal = subjectCondition(real, patient);
    const isMasked = subjectCondition(masked, patient);
    const shown = this.#maskedColumns(table);
    if (real === false && masked === true) return { ...source, sql: `SELECT ${shown} FROM (${source.sql})` };
    const realRows = real !== false && `SELECT ${namesOf(table)} FROM (${source.sql}) WHERE ${isReal}`;
    const maskedRows =
      masked !== false &&
      `SELECT ${shown} FROM (${source.sql}) WHERE ${isMasked} AND NOT coalesce(${isReal}, false)`;
    const pick = masked === true ? [realRows] : [realRows, maskedRows];
    const settled: SettledRows = {
      name: `_${table.name}`,
      sql: pick.filter((part) => part !== false).join(' UNION ALL '),
      files: source.files,
    };
    const sql = `SELECT * FROM "${settled.name}"`;
    if (masked !== true) return { sql, files: [], settled };
    return { sql: `${sql} UNION ALL ${maskedRows}`, files: source.files, settled };
  }

  #maskedColumns(table: Table): string {
    const owner = table.columns.some(({ name }) => name === 'patient_id') ? '"patient_id"' : undefined;
    const columns = table.columns.map((column) => this.#masks.expression(column, owner));
    if (this.#access.countsMin > 0 && hasPatients(table)) {
      columns.push(`${this.#masks.hash(patient)} AS "${countedColumn}"`);
    }
    return columns.join(', ');
  }
}

/** Columns by which masked rows are sorted. An own table may have no ids, or several rows of one. */
const orderColumns = ({ area, columns }: Table): string[] =>
  columns.filter(({ mask }) => (area === 'own' ? mask !== 'null' : mask === 'hash')).map(({ name }) => name);

/** Adds the patient of each row as `_subject` if `wanted`: the lookup costs a join. */
function withPatient(table: Table, relation: Relation, sequence: () => Relation, wanted: boolean): Relation {
  if (!wanted || !hasPatients(table)) return relation;
  if (table.columns.some(({ name }) => name === 'patient_id')) {
    return { ...relation, sql: `SELECT *, "patient_id" AS ${patient} FROM (${relation.sql})` };
  }
  const samples = sequence();
  return {
    sql: `SELECT r.*, s.patient_id AS ${patient} FROM (${relation.sql}) AS r LEFT JOIN (${samples.sql}) AS s ON s.id = r.sample_id`,
    files: [...new Set([...relation.files, ...samples.files])],
  };
}
