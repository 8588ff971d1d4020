import { kaplanMeier } from '@ploidy/statistics';
import type { AggregateOf } from './aggregates.ts';
import type { Building, Part } from './building.ts';

/** Number of steps of a curve. */
const stepsMax = 5000;
/** Number of curves of a request. */
const curvesMax = 10;

/** Patients of a group who leave at a time, with or without the event. */
interface Leaving {
  group: string | null;
  time: number;
  events: number;
  left: number;
}

/** Statuses that mean that the event happened, and that it did not: numbers, or the words of files without them. */
export const happened =
  "(starts_with(value, '1:') OR upper(value) IN ('1', 'TRUE', 'DECEASED', 'DEAD', 'RECURRED', 'PROGRESSED', 'RECURRED/PROGRESSED'))";
export const absent =
  "(starts_with(value, '0:') OR upper(value) IN ('0', 'FALSE', 'LIVING', 'ALIVE', 'DISEASEFREE', 'CENSORED'))";

/**
 * Builds the estimate of Kaplan and Meier for the patients of a set. Two attributes have the time and the status. Patients
 * without both, and with a status of another meaning, are counted as left out.
 */
export function kmPart(
  { time, status, group }: AggregateOf<'km'>,
  { statement, set, elsewhere }: Building,
): Part {
  const times = `SELECT patient, min(number) AS time FROM ${statement.values(time)} JOIN _subject USING (subject)
    WHERE number >= 0 AND isfinite(number) GROUP BY patient`;
  const states = `SELECT patient, bool_or(${happened}) AS event FROM ${statement.values(status)} JOIN _subject USING (subject)
    WHERE ${happened} OR ${absent} GROUP BY patient`;
  // A patient with samples in several groups is in none.
  const own =
    elsewhere === undefined ? set : `(SELECT * FROM ${set} ANTI JOIN ${elsewhere} AS x USING (patient))`;
  const members =
    group === undefined
      ? `SELECT DISTINCT patient, CAST(NULL AS VARCHAR) AS name FROM ${own} WHERE patient IS NOT NULL`
      : `SELECT DISTINCT m.patient, g.value AS name FROM ${own} AS m
          JOIN ${statement.values(group)} AS g ON g.subject = m.subject WHERE m.patient IS NOT NULL AND g.value IS NOT NULL`;
  const followed = `SELECT g.name, t.time, s.event FROM (${members}) AS g
    JOIN (${times}) AS t ON t.patient = g.patient JOIN (${states}) AS s ON s.patient = g.patient`;
  const leaving = `SELECT name, time, count(*) FILTER (event) AS events, count(*) AS gone FROM (${followed}) GROUP BY name, time`;
  return {
    sql: `SELECT to_json({'leaving': (SELECT list({'group': name, 'time': time, 'events': events, 'left': gone} ORDER BY name, time)
      FROM (${leaving})), 'members': (SELECT count(*) FROM (${members}))})`,
    result: ({ leaving: found, members: all }: { leaving: Leaving[] | null; members: number }) => {
      const curves = [...Map.groupBy(found ?? [], (one) => one.group)].map(([name, ofGroup]) =>
        curveOf(name, ofGroup),
      );
      if (curves.length > curvesMax)
        return failed('TOO_MANY_GROUPS', `There are more than ${curvesMax} groups.`);
      if (curves.some(({ steps }) => steps.length > stepsMax))
        return failed('TOO_MANY_STEPS', `A curve has more than ${stepsMax} steps.`);
      return { km: { curves, leftOut: all - curves.reduce((sum, { patients }) => sum + patients, 0) } };
    },
  };
}

const failed = (code: string, message: string) => ({ error: { code, message } });

/** Computes the curve of a group from those who leave. */
function curveOf(group: string | null, leaving: Leaving[]) {
  const {
    subjects,
    excluded: _,
    ...curve
  } = kaplanMeier(
    leaving.flatMap(({ time, events, left }) => [
      { time, isEvent: true, count: events },
      { time, isEvent: false, count: left - events },
    ]),
  );
  return { ...(group !== null && { group }), patients: subjects, ...curve };
}
