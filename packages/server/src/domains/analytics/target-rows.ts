import type { Compiler } from './compile.ts';
import type { Collection, Field } from './fields.ts';
import type { NamedField, Query } from './query.ts';

/** Joins what there is once of each patient, when a field asks for it. */
export function onceJoins(
  fields: readonly NamedField[],
  compiler: Compiler,
  row: string,
  patient: string,
): string {
  const wanted = new Set(fields.map(({ collection }) => collection.name));
  return [...onceAliases]
    .filter(([name]) => wanted.has(name))
    .map(
      ([name, alias]) =>
        `LEFT JOIN ${compiler.relation(name)} AS ${alias} ON ${alias}._project = ${row}._project AND ${alias}.patient_id = ${patient}`,
    )
    .join('\n');
}

const onceAliases = new Map([
  ['patient', 'p'],
  ['demographic', 'd'],
]);

/** SQL of a field in a row of the target, or in what is joined to it. */
export function fieldSql({ collection, field }: NamedField, target: Collection, row: string): string {
  const alias = collection === target ? row : onceAliases.get(collection.name);
  return jsonValue(field, field.sql(alias ?? row));
}

/** 64-bit numbers are JSON numbers in an answer. */
function jsonValue({ type }: Field, sql: string): string {
  return type === 'int' ? `CAST(${sql} AS DOUBLE)` : sql;
}

/** No field is of the set of patients itself: even `dob` is joined. */
export const patientless = {} as Collection;

/** Rows of the target: FROM and WHERE, with `r` for the row and the SQL of its patient. */
export function targetRows(
  query: Query,
  compiler: Compiler,
): { from: string; where: string; patient: string } {
  const { target } = query;
  const relation = compiler.relation(target.table.name);
  const patient = target.ofPatient ? 'r.patient_id' : 's.patient_id';
  const joined = target.ofPatient
    ? ''
    : ` LEFT JOIN ${compiler.relation('sequence')} AS s ON s._project = r._project AND s.id = r.sample_id`;
  return {
    from: `${relation} AS r${joined}`,
    where: compiler.targetRow(query.where, target, 'r', patient),
    patient,
  };
}
