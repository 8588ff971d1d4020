import type { Aggregate, AggregateOf } from './aggregates.ts';
import { barsSql, shownBars } from './bars.ts';
import type { Building, Part } from './building.ts';
import type { Cell } from './cells.ts';
import { genesPart } from './genes.ts';
import { oncoprintPart } from './oncoprint.ts';
import { pairsPart } from './pairs.ts';
import { boxPart, densityPart, tablePart } from './plots.ts';
import { kmPart } from './survival.ts';

/** Number of values that are listed by default. */
const topDefault = 20;

/** Builds an aggregate over a set of subjects. */
export function partOf(aggregate: Aggregate, building: Building): Part {
  switch (aggregate.kind) {
    case 'count':
      return countPart(building);
    case 'values':
      return valuesPart(aggregate, building);
    case 'bins':
      return binsPart(aggregate, building);
    case 'genes':
      return genesPart(aggregate, building);
    case 'table':
      return tablePart(aggregate, building);
    case 'events':
    case 'treatments':
      return eventsPart(aggregate, building);
    case 'pairs':
      return pairsPart(aggregate, building);
    case 'km':
    case 'box':
    case 'density':
    case 'oncoprint':
      return singlePart(aggregate, building);
  }
}

/** Builds an aggregate that shows values of single subjects: refused where small counts are hidden. */
function singlePart(
  aggregate: AggregateOf<'km' | 'box' | 'density' | 'oncoprint'>,
  building: Building,
): Part {
  if (building.cells.hides) {
    const message = 'Values of single patients are hidden: masked data are available as counts only.';
    return { sql: "SELECT '{}'", result: () => ({ error: { code: 'SMALL_COUNTS_ONLY', message } }) };
  }
  switch (aggregate.kind) {
    case 'km':
      return kmPart(aggregate, building);
    case 'box':
      return boxPart(aggregate, building);
    case 'density':
      return densityPart(aggregate, building);
    case 'oncoprint':
      return oncoprintPart(aggregate, building);
  }
}

/** Builds the number of samples and patients; that of samples includes all of a matching patient. */
export function countPart({ statement, set, cells }: Building): Part {
  const ofPatients = `SELECT ${cells.distinct('patient')} FROM ${set}`;
  const ofSamples =
    statement.unit === 'sample'
      ? `SELECT ${cells.rows()} FROM ${set}`
      : `SELECT ${cells.rows()} FROM ${statement.base('_sample')} AS r JOIN ${set} AS m ON m.subject = r.subject`;
  return {
    sql: `SELECT to_json({'samples': (${ofSamples}), 'patients': (${ofPatients})})`,
    result: ({ samples, patients }: { samples: Cell; patients: Cell }) => ({
      count: { samples: cells.shown(samples), patients: cells.shown(patients) },
    }),
  };
}

interface CountedValues {
  items: { value: string; label: string | null; count: Cell }[] | null;
  values: number;
  other: Cell;
  na: Cell;
}

function valuesPart({ attribute, top = topDefault }: AggregateOf<'values'>, building: Building): Part {
  const { statement, set, cells } = building;
  const rows = `${statement.values(attribute)} AS v JOIN ${set} AS m ON m.subject = v.subject`;
  const counted = statement.relation(
    `values ${set} ${attribute}`,
    () => `SELECT value, any_value(label) AS label, ${cells.rows()} AS cell,
      row_number() OVER (ORDER BY count(*) DESC, value) AS place FROM ${rows} WHERE value IS NOT NULL GROUP BY value`,
  );
  const items = `SELECT list({'value': value, 'label': label, 'count': cell} ORDER BY place) FROM ${counted} WHERE place <= ${top}`;
  const others = `SELECT DISTINCT m.* FROM ${rows}
    WHERE v.value IN (SELECT value FROM ${counted} WHERE place > ${top})`;
  return {
    sql: `SELECT to_json({'items': (${items}), 'values': (SELECT count(*) FROM ${counted}),
      'other': (SELECT ${cells.rows()} FROM (${others})), 'na': (${naSql(building, attribute)})})`,
    result: ({ items: listed, values, other, na }: CountedValues) => {
      const shown = (listed ?? []).map(({ value, label, count }) => ({
        value,
        ...(label !== null && { label }),
        count: cells.shown(count),
      }));
      // A value of few patients is not named: its presence alone is about them.
      const named = shown.filter(({ count }) => count !== null);
      if (cells.hides) named.sort((one, next) => Number(next.count) - Number(one.count));
      const others = { values: values - named.length, count: cells.shown(other) };
      return { values: { items: named, other: others, na: cells.shown(na) } };
    },
  };
}

function binsPart(aggregate: AggregateOf<'bins'>, building: Building): Part {
  const { statement, set, cells } = building;
  const { attribute } = aggregate;
  const bars = building.bars(aggregate);
  const rows = `${statement.values(attribute)} AS v JOIN ${set} AS m ON m.subject = v.subject`;
  const place = barsSql(bars, statement.compiler.parameters);
  // A subject with several values counts once in a bar.
  const placed = `SELECT DISTINCT m.*, ${place} AS bar FROM ${rows}`;
  const counted = `SELECT bar, ${cells.rows()} AS cell FROM (${placed}) WHERE bar IS NOT NULL GROUP BY bar`;
  return {
    sql: `SELECT to_json({'bars': (SELECT list({'bar': bar, 'count': cell}) FROM (${counted})), 'na': (${naSql(building, attribute)})})`,
    result: ({ bars: found, na }: { bars: { bar: number; count: Cell }[] | null; na: Cell }) => {
      const counts = new Map((found ?? []).map(({ bar, count }) => [bar, cells.shown(count)]));
      return { bins: { bars: shownBars(bars, counts, cells.hides), na: cells.shown(na) } };
    },
  };
}

/** Builds the number of subjects without a value. */
function naSql({ statement, set, cells }: Building, attribute: string): string {
  return `SELECT ${cells.rows()} FROM ${set} AS m ANTI JOIN ${statement.values(attribute)} AS v ON v.subject = m.subject`;
}

/** Number of types or agents that are listed by default. */
const eventsTop = 50;

interface CountedEvents {
  items: { name: string; events: number; patients: Cell }[] | null;
  names: number;
}

/** Builds the patients of a set by the type of their events, or by the agent of their treatments. */
function eventsPart(aggregate: AggregateOf<'events' | 'treatments'>, building: Building): Part {
  const { statement, set, cells } = building;
  const { kind, top = eventsTop } = aggregate;
  const name = kind === 'events' ? 'type' : 'agent';
  const counted = statement.relation(
    JSON.stringify([kind, set]),
    () => `SELECT ${name} AS name, count(*) AS events, ${cells.distinct('patient')} AS cell,
        row_number() OVER (ORDER BY count(DISTINCT patient) DESC, ${name}) AS place
      FROM ${statement.base('_event')} AS r JOIN (SELECT DISTINCT patient, digest FROM ${set}) AS m USING (patient)
      WHERE ${name} IS NOT NULL GROUP BY ${name}`,
  );
  return {
    sql: `SELECT to_json({'items': (SELECT list({'name': name, 'events': events, 'patients': cell} ORDER BY place) FROM ${counted}
      WHERE place <= ${top}), 'names': (SELECT count(*) FROM ${counted})})`,
    result: ({ items, names }: CountedEvents) => {
      const shown = (items ?? []).map(({ patients, events, ...one }) => ({
        ...one,
        events: cells.shown(cells.counting(events, patients)),
        patients: cells.shown(patients),
      }));
      const named = shown.filter(({ patients }) => patients !== null);
      return { [kind]: { items: named, names: cells.hides ? named.length : names } };
    },
  };
}
