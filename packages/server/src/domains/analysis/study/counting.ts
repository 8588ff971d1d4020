import type { AggregateKind, AggregateOf } from './aggregates.ts';
import { barsSql, shownBars } from './bars.ts';
import type { Building, Part } from './building.ts';
import type { Cell } from './cells.ts';
import { enrichmentPart } from './comparison/enrichment.ts';
import { groupSurvivalPart } from './comparison/group-survival.ts';
import { overlapPart } from './comparison/groups.ts';
import { genesPart, profilesPart } from './genes.ts';
import { oncoprintPart } from './oncoprint.ts';
import { pairsPart } from './pairs.ts';
import { boxPart, densityPart, tablePart } from './plots.ts';
import { pointsPart } from './points.ts';
import { kmPart } from './survival.ts';
import { attritionPart } from './timed/attrition.ts';

/** Number of values that are listed by default. */
const topDefault = 20;

/** Kinds of aggregates, each with the function that builds it. */
const parts: { [K in AggregateKind]: (aggregate: AggregateOf<K>, building: Building) => Part } = {
  count: (_, building) => countPart(building),
  values: valuesPart,
  bins: binsPart,
  genes: genesPart,
  profiles: profilesPart,
  coverage: coveragePart,
  table: tablePart,
  events: eventsPart,
  treatments: eventsPart,
  pairs: pairsPart,
  overlap: overlapPart,
  attrition: attritionPart,
  enrichment: (aggregate, building) =>
    building.cells.hides ? refused(testsHidden) : enrichmentPart(aggregate, building),
  survival: ofSingles(groupSurvivalPart),
  km: ofSingles(kmPart),
  box: ofSingles(boxPart),
  density: ofSingles(densityPart),
  points: ofSingles(pointsPart),
  oncoprint: ofSingles(oncoprintPart),
};

/** Builds an aggregate over a set of subjects. */
export function partOf<K extends AggregateKind>(
  aggregate: AggregateOf<K> & { kind: K },
  building: Building,
): Part {
  return parts[aggregate.kind](aggregate, building);
}

/** Refuses an aggregate that shows values of single subjects where small counts are hidden. */
function ofSingles<A>(build: (aggregate: A, building: Building) => Part) {
  return (aggregate: A, building: Building): Part => {
    return building.cells.hides ? refused(singlesHidden) : build(aggregate, building);
  };
}

const singlesHidden = 'Values of single patients are hidden: masked data are available as counts only.';
const testsHidden =
  'Small counts are hidden, and tests are made of exact counts: a p-value would reveal them. Masked data are available as counts only.';

/** Builds no aggregate where small counts are hidden. */
function refused(message: string): Part {
  return { sql: "SELECT '{}'", result: () => ({ error: { code: 'SMALL_COUNTS_ONLY', message } }) };
}

/** Builds the number of samples and patients; that of samples includes all of a matching patient. */
function countPart({ statement, set, cells }: Building): Part {
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
      row_number() OVER (ORDER BY ${cells.near()} DESC, value) AS place FROM ${rows} WHERE value IS NOT NULL GROUP BY value`,
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
      // The number of values is exact: it would show a value of one patient.
      const others = { values: cells.hides ? null : values - named.length, count: cells.shown(other) };
      return { values: { items: named, other: others, na: cells.shown(na) } };
    },
  };
}

interface CountedBars {
  bars: { bar: number; count: Cell }[] | null;
  na: Cell;
  numbers: Record<'count' | 'mean' | 'median' | 'low' | 'high', number> | null;
}

function binsPart(aggregate: AggregateOf<'bins'>, building: Building): Part {
  const { statement, set, cells } = building;
  const { attribute, method } = aggregate;
  if (cells.hides && (method === 'median' || method === 'quartiles')) return refused(singlesHidden);
  const bars = building.bars(aggregate);
  const rows = `${statement.values(attribute)} AS v JOIN ${set} AS m ON m.subject = v.subject`;
  const place = barsSql(bars, statement.compiler.parameters);
  // A subject with several values counts once in a bar.
  const placed = `SELECT DISTINCT m.*, ${place} AS bar FROM ${rows}`;
  const counted = `SELECT bar, ${cells.rows()} AS cell FROM (${placed}) WHERE bar IS NOT NULL GROUP BY bar`;
  // Figures of exact values would show single subjects.
  const numbers = cells.hides
    ? 'NULL'
    : `(SELECT {'count': count(*), 'mean': avg(v.number), 'median': median(v.number), 'low': min(v.number), 'high': max(v.number)}
        FROM ${rows} WHERE isfinite(v.number))`;
  return {
    sql: `SELECT to_json({'bars': (SELECT list({'bar': bar, 'count': cell}) FROM (${counted})), 'na': (${naSql(building, attribute)}),
      'numbers': ${numbers}})`,
    result: ({ bars: found, na, numbers: figures }: CountedBars) => {
      const counts = new Map((found ?? []).map(({ bar, count }) => [bar, cells.shown(count)]));
      return {
        bins: {
          ...{ bars: shownBars(bars, counts, cells.hides), na: cells.shown(na) },
          ...(figures !== null && figures.count > 0 && { numbers: figures }),
        },
      };
    },
  };
}

/** Builds the number of subjects without a value. */
function naSql({ statement, set, cells }: Building, attribute: string): string {
  return `SELECT ${cells.rows()} FROM ${set} AS m ANTI JOIN ${statement.values(attribute)} AS v ON v.subject = m.subject`;
}

interface FoundCoverage {
  all: Cell;
  items: { attribute: string; count: Cell }[] | null;
  previews: unknown[];
}

/** Values of a text that a preview shows. */
const previewTop = 5;

/** Builds the subjects with a value by attribute. Attributes that are asked for have a preview: their values or bars. */
function coveragePart({ attributes }: AggregateOf<'coverage'>, building: Building): Part {
  const { statement, set, cells } = building;
  const previews = (attributes ?? []).map((attribute) => {
    const bins = { id: '', kind: 'bins', attribute } as const;
    const isNumeric = building.bars(bins).some(({ range }) => range !== undefined);
    return isNumeric
      ? binsPart(bins, building)
      : valuesPart({ id: '', kind: 'values', attribute, top: previewTop }, building);
  });
  const which = attributes ? `WHERE f.attribute IN (${statement.listed(attributes)})` : '';
  const items = `SELECT f.attribute, ${cells.rows()} AS cell FROM ${statement.base('_filled')} AS f JOIN ${set} AS m ON m.subject = f.subject
    ${which} GROUP BY f.attribute`;
  return {
    sql: `SELECT to_json({'all': (SELECT ${cells.rows()} FROM ${set}),
      'items': (SELECT list({'attribute': attribute, 'count': cell} ORDER BY attribute) FROM (${items})),
      'previews': [${previews.map(({ sql }) => `(${sql})`).join(', ')}]})`,
    result: (found: FoundCoverage) => {
      const shown = (found.items ?? []).flatMap(({ attribute, count }) => {
        const n = cells.shown(count);
        return n === null ? [] : [{ attribute, count: n }];
      });
      const all = cells.shown(found.all) ?? 0;
      const items = shown.map(({ attribute, count }) => {
        const at = attributes?.indexOf(attribute) ?? -1;
        return {
          ...{ attribute, count, share: all === 0 ? 0 : Math.min(1, count / all) },
          ...previews[at]?.result(found.previews[at] as never),
        };
      });
      items.sort((one, next) => next.count - one.count);
      return { coverage: { items } };
    },
  };
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
        row_number() OVER (ORDER BY ${cells.hides ? cells.near() : 'count(DISTINCT patient)'} DESC, ${name}) AS place
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
      if (cells.hides) named.sort((one, next) => Number(next.patients) - Number(one.patients));
      return { [kind]: { items: named, names: cells.hides ? named.length : names } };
    },
  };
}
