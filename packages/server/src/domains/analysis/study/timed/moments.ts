import { holdsSql, tables } from '@ploidy/formats/tables';
import type { Compiler } from '../../analytics/index.ts';

/** Table of a kind of dated rows, with SQL of its columns. */
interface Dated {
  table: string;
  start: string;
  stop?: string;
  code?: string;
  number?: string;
  which?: string;
}

const dated = {
  condition: {
    table: 'condition',
    start: 'coalesce(onset_date, recorded_date)',
    stop: 'abatement_date',
    code: 'code',
  },
  medication: {
    table: 'medication',
    start: 'coalesce(start_date, authored_date)',
    stop: 'end_date',
    code: 'code',
  },
  procedure: {
    table: 'procedure',
    start: 'performed_date',
    stop: 'performed_end_date',
    code: 'code',
  },
  observation: {
    table: 'observation',
    start: 'effective_date',
    code: 'code',
    number: 'value_quantity',
    // Components are parts of an observation.
    which: 'component_index IS NULL',
  },
  immunization: { table: 'immunization', start: 'occurrence_date', code: 'code' },
  encounter: { table: 'encounter', start: 'start_date', stop: 'end_date', code: 'class_code' },
  specimen: { table: 'specimen', start: 'collected_date', code: 'type_code' },
  death: { table: 'demographic', start: 'deceased_date' },
} as const satisfies Record<string, Dated>;

type DatedKind = keyof typeof dated;
const datedKinds = Object.keys(dated) as DatedKind[];

/** Kinds of what happens to patients at a time. */
export const momentKinds = ['event', ...datedKinds] as const;
type MomentKind = (typeof momentKinds)[number];

/** Clock of a kind: days of a patient's timeline, or dates. Days of the two cannot be compared. */
type Clock = 'timeline' | 'dates';
export const clockOf = (kind: MomentKind): Clock => (kind === 'event' ? 'timeline' : 'dates');

const momentsPrefix = '_moments ';
const knownPrefix = '_known ';

/** Returns the key of the relation of a kind: `row`, `patient`, `day`, `stop`, `code`, `agent` and `number`. */
export const momentsOf = (kind: MomentKind): string => `${momentsPrefix}${kind}`;

/** Returns the key of the relation of the first and last day of each patient's record on a clock. */
export const knownOf = (clock: Clock): string => `${knownPrefix}${clock}`;

/** Reports whether a relation is one of these two. */
export const isOfMoments = (key: string): boolean =>
  key.startsWith(momentsPrefix) || key.startsWith(knownPrefix);

/** Returns the SQL of one of these relations. */
export function momentSql(key: string, compiler: Compiler): string {
  return key.startsWith(momentsPrefix)
    ? momentRows(key.slice(momentsPrefix.length) as MomentKind, compiler)
    : knownDays(key.slice(knownPrefix.length) as Clock, compiler);
}

const patients = '(SELECT DISTINCT patient_id, patient FROM _subject WHERE patient IS NOT NULL)';
const day = (date: string): string => `date_diff('day', DATE '1970-01-01', CAST(${date} AS DATE))`;

/** Rows have numbers, in an order of their values: an index event is known by its number. */
function momentRows(kind: MomentKind, compiler: Compiler): string {
  return `SELECT row_number() OVER (ORDER BY s.patient, r.day, r.stop, r.code, r.agent, r.number) AS row, s.patient, r.* EXCLUDE (patient_id)
    FROM (${kind === 'event' ? eventRows(compiler) : datedRows(dated[kind], compiler)}) AS r
    JOIN ${patients} AS s ON s.patient_id = r.patient_id WHERE r.day IS NOT NULL`;
}

function eventRows(compiler: Compiler): string {
  return `SELECT patient_id, start_day AS day, stop_day AS stop, type AS code,
      CASE WHEN upper(type) = 'TREATMENT' THEN json_extract_string(attributes, '$.AGENT') END AS agent, CAST(NULL AS DOUBLE) AS number
    FROM ${compiler.relation('timeline_event')}`;
}

function datedRows({ table, start, stop, code, number, which }: Dated, compiler: Compiler): string {
  return `SELECT patient_id, ${day(start)} AS day, ${stop ? day(stop) : 'CAST(NULL AS BIGINT)'} AS stop,
      ${code ?? 'CAST(NULL AS VARCHAR)'} AS code, CAST(NULL AS VARCHAR) AS agent, ${number ?? 'CAST(NULL AS DOUBLE)'} AS number
    FROM ${compiler.relation(table)} WHERE ${holdsSql(tables.get(table))} AND ${which ?? 'true'}`;
}

function knownDays(clock: Clock, compiler: Compiler): string {
  const kinds: readonly MomentKind[] = clock === 'timeline' ? ['event'] : datedKinds;
  const rows = kinds.map(
    (kind) =>
      `SELECT patient_id, day, stop FROM (${kind === 'event' ? eventRows(compiler) : datedRows(dated[kind], compiler)})`,
  );
  return `SELECT s.patient, min(r.day) AS first, max(greatest(r.day, r.stop)) AS last
    FROM (${rows.join(' UNION ALL ')}) AS r JOIN ${patients} AS s ON s.patient_id = r.patient_id
    WHERE r.day IS NOT NULL GROUP BY s.patient`;
}
