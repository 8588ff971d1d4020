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

/**
 * Records → the same with a column per INFO key. A key may stand first, last, or begin like another. The annotations are cut out first:
 * they are most of the text, and every other key would be looked for in them.
 */
export function withInfo(recordsSql: string, fields: InfoFields, annotationKey: string | undefined): string {
  const annotation = annotationKey === undefined ? undefined : fields.columns.get(annotationKey);
  const others = [...fields.columns].filter(([key]) => key !== annotationKey);
  const cut =
    annotation === undefined ? recordsSql : withoutAnnotation(recordsSql, annotationKey ?? '', annotation);
  const families = familiesOf(others.map(([key]) => key));
  const guarded = adding(
    cut,
    [...families].map(([start], index) => [`family_${index}`, `contains(info, ${literal(`;${start}`)})`]),
  );
  const values = others.map(([key, column]): [string, string] => {
    const family = [...families.values()].findIndex((keys) => keys.includes(key));
    const value = `string_split(string_split(info, ${literal(`;${key}=`)})[2], ';')[1]`;
    return [column, family < 0 ? value : `CASE WHEN family_${family} THEN ${value} END`];
  });
  return `SELECT * EXCLUDE (info${families.size > 0 ? ', ' : ''}${[...families].map((_, index) => `family_${index}`).join(', ')})
    FROM (${adding(guarded, values)})`;
}

function withoutAnnotation(recordsSql: string, key: string, column: string): string {
  const halves = adding(recordsSql, [['halves', `string_split(info, ${literal(`;${key}=`)})`]]);
  const behind = adding(halves, [['behind', `string_split(halves[2], ';')`]]);
  const rest = `CASE WHEN len(behind) > 1 THEN concat(halves[1], ';', array_to_string(behind[2:], ';')) ELSE halves[1] END`;
  return `SELECT * EXCLUDE (halves, behind) REPLACE (${rest} AS info), behind[1] AS ${column} FROM (${behind})`;
}

/** Keys that begin alike (`CLNDN`, `CLNSIG`) mostly stand together or not at all: one look for the beginning spares several. */
function familiesOf(keys: string[]): Map<string, string[]> {
  const families = Map.groupBy(keys, (key) => key.slice(0, 3));
  return new Map([...families].filter(([, members]) => members.length > 1));
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
