import type { Table } from '@ploidy/formats';
import type { QueryTable, SettledRows } from '../../platform/engine/engine.ts';
import type { Masks } from './masks.ts';
import { namesOf } from './segment-rows.ts';
import type { Sight } from './sight.ts';
import { subjectCondition } from './subject-sql.ts';

/** A relation as SQL over Parquet files, and the files that it opens. */
export type Relation = Pick<QueryTable, 'sql' | 'files'>;

/** The column with the patient's hash that small counts are counted by; statements of analysts never name it. */
const countedColumn = '_patient';

const patient = '"_subject"';

/** Whether it can be told whom the rows of a table are about. */
export function hasPatients({ columns }: Table): boolean {
  return columns.some(({ name }) => name === 'patient_id' || name === 'sample_id');
}

/**
 * The tables as one caller sees them: rows that he may read as they are, the others that he may see masked, nothing else.
 *
 * Where rows are left out they are left out before the statement begins, into a file of their own. In one plan with a
 * condition of ours the engine could evaluate a condition of the caller's first, on rows that he may not see, and an error
 * would quote them. Masks need no such care: he is only ever given masked values, in whatever order.
 */
export class SeenTables {
  readonly #sight: Sight;
  readonly #masks: Masks;

  constructor(sight: Sight, masks: Masks) {
    this.#sight = sight;
    this.#masks = masks;
  }

  /** `sequence`: the relation that tells the patient of a sample. */
  view(table: Table, relation: Relation, sequence: () => Relation): Omit<QueryTable, 'name'> {
    const { real, masked, countsMin } = this.#sight;
    if (real === true) return relation;
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
    if (this.#sight.countsMin > 0 && hasPatients(table)) {
      columns.push(`${this.#masks.hash(patient)} AS "${countedColumn}"`);
    }
    return columns.join(', ');
  }
}

/** The relation with the patient of each row as `_subject`, when it is `wanted`: looking it up costs a join. */
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
