import type { AggregateOf } from './aggregates.ts';
import type { Building, Part } from './building.ts';
import type { Cell } from './cells.ts';

/** Number of types or agents that are listed by default. */
const topDefault = 50;

interface CountedEvents {
  items: { name: string; events: number; patients: Cell }[] | null;
  names: number;
}

/** Builds the patients of a set by the type of their events, or by the agent of their treatments. */
export function eventsPart(aggregate: AggregateOf<'events' | 'treatments'>, building: Building): Part {
  const { statement, set, cells } = building;
  const { kind, top = topDefault } = aggregate;
  // Agents are values of events whose type is TREATMENT, as study folders have them.
  const [name, which] =
    kind === 'events'
      ? ['r.type', 'true']
      : ["json_extract_string(r.attributes, '$.AGENT')", "upper(r.type) = 'TREATMENT'"];
  const counted = statement.relation(
    JSON.stringify([kind, set]),
    () => `SELECT name, count(*) AS events, ${cells.distinct('patient_id')} AS cell,
        row_number() OVER (ORDER BY count(DISTINCT patient_id) DESC, name) AS place
      FROM (SELECT ${name} AS name, r.patient_id FROM ${statement.compiler.relation('timeline_event')} AS r
        SEMI JOIN ${set} AS m ON m.patient_id = r.patient_id WHERE ${which}) WHERE name IS NOT NULL GROUP BY name`,
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
