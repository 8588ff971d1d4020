import { holdsSql, tables } from '@ploidy/formats/tables';
import type { AggregateOf } from '../aggregates.ts';
import type { StudyStatement } from '../filter.ts';
import { absent, happened } from '../survival.ts';
import { followedFromIndex } from '../timed/timed.ts';

/** Days of a year of the calendar, in the mean. */
const yearDays = 365.25;

/** Tables and columns with dates on which a patient was seen. */
const contacts: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['encounter', ['start_date', 'end_date']],
  ['condition', ['onset_date', 'recorded_date']],
  ['procedure', ['performed_date']],
  ['medication', ['start_date', 'authored_date']],
];

/** Builds the SELECT (patient, time, entry, event) of the patients that are followed, by attributes, index event or dates. */
export function followedSql(endpoint: AggregateOf<'survival'>, statement: StudyStatement): string {
  const { time, status, timed, event } = endpoint;
  if (timed && event) return followedFromIndex(statement, timed, event);
  return time === undefined || status === undefined
    ? datesSql(endpoint, statement)
    : attributesSql({ ...endpoint, time, status }, statement);
}

function attributesSql(
  { time, status, entry, events }: AggregateOf<'survival'> & { time: string; status: string },
  statement: StudyStatement,
): string {
  const numbers = (
    attribute: string,
    pick: 'min' | 'max',
  ): string => `SELECT patient, ${pick}(number) AS number
    FROM ${statement.values(attribute)} JOIN _subject USING (subject) WHERE number >= 0 AND isfinite(number) GROUP BY patient`;
  const isEvent = events ? `value IN (${statement.listed(events)})` : happened;
  const isKnown = events ? 'value IS NOT NULL' : `(${happened} OR ${absent})`;
  const states = `SELECT patient, bool_or(${isEvent}) AS event FROM ${statement.values(status)} JOIN _subject USING (subject)
    WHERE ${isKnown} GROUP BY patient`;
  const late = entry === undefined ? '' : `JOIN (${numbers(entry, 'min')}) AS e ON e.patient = t.patient`;
  return `SELECT t.patient, t.number AS time, ${entry === undefined ? 'CAST(NULL AS DOUBLE)' : 'e.number'} AS entry, s.event
    FROM (${numbers(time, 'min')}) AS t JOIN (${states}) AS s ON s.patient = t.patient ${late} WHERE t.patient IS NOT NULL`;
}

/** Builds the years from the first diagnosis to death, or to the last date on record. */
function datesSql({ diagnosis }: AggregateOf<'survival'>, { compiler }: StudyStatement): string {
  const is = diagnosis === undefined ? '' : `AND code = ${compiler.parameters.add(diagnosis, 'VARCHAR')}`;
  const day = (column: string): string => `CAST("${column}" AS DATE)`;
  const begins = `SELECT patient_id, min(coalesce(${day('onset_date')}, ${day('recorded_date')})) AS day FROM ${compiler.relation('condition')}
    WHERE ${holdsSql(tables.get('condition'))} AND coalesce("onset_date", "recorded_date") IS NOT NULL ${is} GROUP BY patient_id`;
  const deaths = `SELECT patient_id, min(${day('deceased_date')}) AS day FROM ${compiler.relation('demographic')}
    WHERE "deceased_date" IS NOT NULL GROUP BY patient_id`;
  const seen = contacts.flatMap(([table, columns]) =>
    columns.map(
      (column) =>
        `SELECT patient_id, ${day(column)} AS day FROM ${compiler.relation(table)} WHERE ${holdsSql(tables.get(table))}`,
    ),
  );
  const last = `SELECT patient_id, max(day) AS day FROM (${seen.join(' UNION ALL ')}) GROUP BY patient_id`;
  return `SELECT p.patient, date_diff('day', b.day, coalesce(d.day, l.day)) / ${yearDays} AS time, CAST(NULL AS DOUBLE) AS entry,
      d.day IS NOT NULL AS event
    FROM (${begins}) AS b JOIN (SELECT DISTINCT patient_id, patient FROM _subject) AS p ON p.patient_id = b.patient_id LEFT JOIN (${deaths}) AS d ON d.patient_id = b.patient_id LEFT JOIN (${last}) AS l ON l.patient_id = b.patient_id
    WHERE coalesce(d.day, l.day) >= b.day`;
}
