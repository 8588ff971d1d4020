import { clinicalKeys, type FieldDefinition, type FrequencyField, infoFrequency } from '@ploidy/formats';
import { adding, literal } from './sql-text.ts';

/** The INFO keys that a file has and that the rows are made from. */
export interface InfoFields {
  /** Key → name of the column that holds its value as it stands; NULL when absent. */
  columns: ReadonlyMap<string, string>;
  frequencies: (FrequencyField & { number: string; column: string })[];
}

/** Of the keys that the header declares or the first records show: those that some column is taken from. */
export function infoFields(
  declared: ReadonlyMap<string, FieldDefinition>,
  seen: ReadonlySet<string>,
  annotationKey: string | undefined,
): InfoFields {
  const clinical = new Set<string>(Object.values(clinicalKeys).flat());
  const keys = [...new Set([...declared.keys(), ...seen])].filter(
    (key) => clinical.has(key) || key === annotationKey || infoFrequency(key) !== undefined,
  );
  const columns = new Map(keys.map((key, index) => [key, `info_${index}`]));
  const frequencies = [...columns].flatMap(([key, column]) => {
    const field = infoFrequency(key);
    return field ? [{ ...field, number: declared.get(key)?.number ?? '.', column }] : [];
  });
  return { columns, frequencies };
}

/** Records → the same with a column per INFO key. A key may stand first, last, or begin like another. */
export function withInfo(recordsSql: string, fields: InfoFields): string {
  return adding(
    recordsSql,
    [...fields.columns].map(([key, column]) => [
      column,
      `string_split(string_split(info, ${literal(`;${key}=`)})[2], ';')[1]`,
    ]),
  );
}

/** The value that belongs to alternate `i` of `alt_count`, by the key's Number, as text. */
export function valueOfAlternate(field: InfoFields['frequencies'][number]): string {
  const { column, number, referenceFirst } = field;
  const list = `string_split(trim(${column}, '[]'), ',')`;
  const byCount = `${list}[CASE len(${list}) WHEN alt_count THEN i WHEN alt_count + 1 THEN i + 1 END]`;
  const several =
    referenceFirst || number === 'R' ? `${list}[i + 1]` : number === 'A' ? `${list}[i]` : byCount;
  return `CASE WHEN contains(${column}, ',') THEN ${several} ${referenceFirst ? '' : `ELSE ${column}`} END`;
}
