import type { Compiler } from './compile.ts';
import type { Collection, Field } from './fields.ts';
import { neededOfTarget } from './needed-rows.ts';
import type { NamedField, Query } from './query.ts';

/** Joins the single-row tables of a patient that the fields need. */
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

/** Returns the SQL of a field in a target row or in a joined table. */
export function fieldSql({ collection, field }: NamedField, target: Collection, row: string): string {
  const alias = collection === target ? row : onceAliases.get(collection.name);
  return jsonValue(field, field.sql(alias ?? row));
}

/** Converts 64-bit integers, which are JSON numbers in an answer. */
function jsonValue({ type }: Field, sql: string): string {
  return type === 'int' ? `CAST(${sql} AS DOUBLE)` : sql;
}

/** Placeholder collection for patients themselves: all their fields, even `dob`, are joined. */
export const patientless = {} as Collection;

/** Builds FROM and WHERE for rows of the target, with alias `r` and the SQL of the row's patient. */
export function targetRows(
  query: Query,
  compiler: Compiler,
): { from: string; where: string; patient: string } {
  const { target } = query;
  const relation = compiler.relation(target.table.name, neededOfTarget(query.where, target));
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
