import { holdsWith } from '@ploidy/formats/status';
import type { Row } from '../../api/ask.ts';
import type { Sample } from './samples.ts';

/** Event of a patient in days after the first day; `to` is the last day of a span. */
export interface Event extends Record<string, unknown> {
  lane: string;
  label: string;
  from: number;
  to: number;
  /** Measured value of a laboratory test. */
  value?: number;
  /** File of the project with the document. */
  fileId?: string;
  /** Sample that was taken. */
  sample?: Sample;
}

/** Events of one line, in the order of their days. */
export interface Lane {
  name: string;
  /** Kind of the events; several lines may have the same one. */
  kind: string;
  /** Name within the kind. */
  label: string;
  events: Event[];
}

/**
 * Events of a patient, and the date of day 0: that of the first diagnosis with a stage, else of the first diagnosis, else of the
 * first event. Without dates, days are those of the source.
 */
export interface History {
  lanes: Lane[];
  firstDate: string | undefined;
}

/** Tables with dates: target, kind, name, begin, end. */
export const datedTables = [
  ['specimen', 'Specimen', 'type_display', ['collected_date', 'received_date'], 'received_date'],
  ['procedure', 'Procedure', 'display', ['performed_date'], 'performed_end_date'],
  ['encounter', 'Visit', 'class_display', ['start_date'], 'end_date'],
  ['condition', 'Diagnosis', 'display', ['onset_date', 'recorded_date'], 'abatement_date'],
  ['media', 'Imaging', 'title', ['created_date'], 'created_date'],
  ['observation', 'Lab test', 'display', ['effective_date'], 'effective_date'],
  ['medication', 'Treatment', 'display', ['start_date', 'authored_date'], 'end_date'],
] as const;

/** Returns whether what a row names is so: no diagnosis that was ruled out, no order by mistake. */
export const isSo = (row: Row): boolean => holdsWith(row['verification_status'] ?? row['status']);

/** Columns of a table beside its dates and its name. */
export const furtherFields: Readonly<Record<string, readonly string[]>> = {
  media: ['file_id', 'type', 'status'],
  observation: ['value_quantity', 'value_unit', 'status'],
  encounter: ['type_display', 'status'],
  ...{ specimen: ['status'], procedure: ['status'] },
};

/** Kinds in the order of the lines; others follow by their first event. */
const kinds = [
  ...['Specimen', 'Sample acquisition', 'Sequencing', 'Surgery', 'Procedure', 'Med onc', 'Visit', 'Status'],
  ...['Diagnostics', 'Diagnosis', 'Imaging', 'Lab test', 'Treatment'],
];

/** Kinds whose names are a line each. */
const named = ['Diagnosis', 'Lab test', 'Treatment', 'Pathology'];

const dayMs = 24 * 60 * 60_000;

/** Returns the history in the rows of tables, by the name of the table. Rows without a date are left out. */
export function historyOf(
  rows: Readonly<Record<string, readonly Row[]>>,
  samples: readonly Sample[] = [],
): History {
  const dated = datedTables.flatMap(([table, kind, name, begins, end]) =>
    (rows[table] ?? []).filter(isSo).flatMap((row) => {
      const begin = begins.map((field) => dateIn(row[field])).find((one) => one !== undefined);
      if (begin === undefined) return [];
      const last = dateIn(row[end]) ?? begin;
      const label = String(row[name] ?? row['type'] ?? row['code'] ?? kind);
      return [{ kind, label, begin, end: Math.max(begin, last), row }];
    }),
  );
  const [deceased] = (rows['patient'] ?? []).flatMap((row) => dateIn(row['deceased_date']) ?? []);
  const diagnoses = dated.filter(({ kind }) => kind === 'Diagnosis');
  const staged = diagnoses.filter(({ row }) => typeof row['stage'] === 'string');
  const firsts = [staged, diagnoses, dated].map((list) => firstOf(list.map(({ begin }) => begin)));
  const zero = firsts.find((one) => one !== undefined);
  const dayOf = (time: number): number => Math.round((time - (zero ?? 0)) / dayMs);
  const events = [
    ...dated.map(({ kind, label, begin, end, row }) => ({
      ...{ kind, label, from: dayOf(begin), to: dayOf(end) },
      ...(typeof row['value_quantity'] === 'number' && {
        value: row['value_quantity'],
        unit: row['value_unit'],
      }),
      ...(typeof row['file_id'] === 'string' && { fileId: row['file_id'] }),
      ...ofSample(
        kind === 'Specimen' ? samples.find(({ specimenId }) => specimenId === row['id']) : undefined,
      ),
    })),
    ...(deceased !== undefined && zero !== undefined
      ? [{ kind: 'Status', label: 'Deceased', from: dayOf(deceased), to: dayOf(deceased) }]
      : []),
    ...(rows['timeline_event'] ?? []).flatMap((row) => ofTimeline(row, samples)),
  ].filter(({ kind, value }) => kind !== 'Lab test' || value !== undefined);
  const lanes = Map.groupBy(events, ({ kind, label }) => (named.includes(kind) ? `${kind}: ${label}` : kind));
  const sorted = [...lanes].map(
    ([name, list]): Lane => ({
      ...{ name, kind: list[0]?.kind ?? name, label: name.replace(/^[^:]*: /, '') },
      events: list
        .map(({ kind: _, ...one }) => ({ lane: name, ...one }))
        .sort((one, other) => one.from - other.from),
    }),
  );
  const rank = ({ kind }: Lane): number => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);
  const start = ({ events: [first] }: Lane): number => first?.from ?? 0;
  return {
    lanes: sorted.sort((one, other) => rank(one) - rank(other) || start(one) - start(other)),
    firstDate: zero === undefined ? undefined : new Date(zero).toISOString().slice(0, 10),
  };
}

function dateIn(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

const firstOf = (times: number[]): number | undefined => times.sort((one, other) => one - other)[0];

/** Returns the event in a row of a timeline: its name is the agent, the test, or the most special type. */
function ofTimeline({ type, start_day: start, stop_day: stop, attributes }: Row, samples: readonly Sample[]) {
  if (typeof type !== 'string' || typeof start !== 'number') return [];
  const words = type.toLowerCase().replaceAll('_', ' ');
  const kind = words.charAt(0).toUpperCase() + words.slice(1);
  const more = attributesIn(attributes);
  const label = ['AGENT', 'TEST', 'SUBTYPE', 'TREATMENT_TYPE', 'STATUS']
    .map((key) => more[key])
    .find(Boolean);
  // A leading sign marks values beyond what a test measures.
  const value =
    kind === 'Lab test' ? Number.parseFloat((more['RESULT'] ?? '').replace(/^[<>]/, '')) : Number.NaN;
  return [
    {
      ...{
        kind,
        label: label ?? kind,
        from: start,
        to: typeof stop === 'number' ? Math.max(start, stop) : start,
      },
      ...(!Number.isNaN(value) && { value }),
      ...ofSample(samples.find(({ id }) => id === more['SAMPLE_ID'])),
    },
  ];
}

/** Returns the part of an event that names its sample. */
const ofSample = (sample: Sample | undefined) => (sample ? { sample } : {});

function attributesIn(text: unknown): Record<string, string | undefined> {
  try {
    const found: unknown = JSON.parse(typeof text === 'string' ? text : '{}');
    return Object.fromEntries(Object.entries(Object(found)).map(([key, value]) => [key, String(value)]));
  } catch {
    return {};
  }
}

/** Joins points that are nearer than a distance in days to the one before them. */
export function clustered(points: readonly Event[], distance: number): Event[][] {
  const groups: Event[][] = [];
  for (const point of points) {
    const last = groups.at(-1)?.[0];
    if (last && point.from - last.from < distance) groups.at(-1)?.push(point);
    else groups.push([point]);
  }
  return groups;
}

/** Returns a day in words: days up to two months, months up to two years, then years. */
export function dayText(day: number): string {
  const size = Math.abs(day);
  const sign = day < 0 ? '−' : '';
  if (size < 60) return `${sign}${Math.round(size)} d`;
  const decimal = (value: number): string => value.toFixed(1).replace(/\.0$/, '');
  return size < 730 ? `${sign}${decimal(size / 30.4375)} mo` : `${sign}${decimal(size / 365.25)} y`;
}
