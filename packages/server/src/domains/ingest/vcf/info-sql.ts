import { clinicalKeys, type FieldDefinition, type FrequencyField, infoFrequency } from '@ploidy/formats';
import { literal } from './sql-text.ts';

/** The INFO keys that a file has and that the rows are made from. */
export interface InfoFields {
  /** Key → name of the column that holds its value (NULL when absent or `.`). */
  columns: ReadonlyMap<string, string>;
  frequencies: (FrequencyField & { number: string })[];
}

/** Of the keys that the header declares or the first records show: those that some column is taken from. */
export function infoFields(
  declared: ReadonlyMap<string, FieldDefinition>,
  seen: ReadonlySet<string>,
  annotationKey: string | undefined,
): InfoFields {
  const clinical = new Set<string>(Object.values(clinicalKeys).flat());
  const keys = [...new Set([...declared.keys(), ...seen])];
  const frequencies = keys.flatMap((key) => {
    const field = infoFrequency(key);
    return field ? [{ ...field, number: declared.get(key)?.number ?? '.' }] : [];
  });
  const used = keys.filter(
    (key) => clinical.has(key) || key === annotationKey || infoFrequency(key) !== undefined,
  );
  return { columns: new Map(used.map((key, index) => [key, `info_${index}`])), frequencies };
}

/** Records → the same with one column per INFO key. The key may stand first, last, or begin like another key. */
export function withInfo(recordsSql: string, fields: InfoFields): string {
  if (fields.columns.size === 0) return recordsSql;
  const values = [...fields.columns].map(([key, column]) => {
    const value = `split_part(split_part(info, ${literal(`;${key}=`)}, 2), ';', 1)`;
    return `CASE ${value} WHEN '' THEN NULL WHEN '.' THEN NULL ELSE ${value} END AS ${column}`;
  });
  return `SELECT *, ${values.join(', ')} FROM (${recordsSql})`;
}

/** The number that belongs to alternate `i` of `alt_count`, by the key's Number; NULL when it is no frequency. */
export function frequencyOfAlternate(field: InfoFields['frequencies'][number], column: string): string {
  const list = `string_split(trim(${column}, '[]'), ',')`;
  const afterReference = `${list}[i + 1]`;
  const byCount = `CASE len(${list}) WHEN alt_count THEN ${list}[i] WHEN alt_count + 1 THEN ${afterReference} WHEN 1 THEN ${list}[1] END`;
  const several =
    field.referenceFirst || field.number === 'R'
      ? afterReference
      : field.number === 'A'
        ? `${list}[i]`
        : byCount;
  const value = `CASE WHEN contains(${column}, ',') THEN ${several} ${field.referenceFirst ? '' : `ELSE ${column}`} END`;
  return frequency(value);
}

/** Text → a number from 0 to 1, else NULL. */
export function frequency(text: string): string {
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  return `CASE WHEN ${number} BETWEEN 0 AND 1 THEN ${number} END`;
}
