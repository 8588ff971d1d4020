import {
  type Curve,
  cox,
  eventRatio,
  type Followed,
  kaplanMeier,
  logRank,
  proportionality,
  survivalAt,
} from '@ploidy/statistics';
import type { AggregateOf } from '../aggregates.ts';
import type { Building, Part } from '../building.ts';
import { followedSql } from './followed.ts';
import { type FoundSizes, groupsOf, membersOf, sizesSql } from './groups.ts';

/** Number of steps of a curve. */
const stepsMax = 5000;
/** Effort of Cox's estimate, as distinct times by squared groups: about 0.1 s of a processor. */
const effortMax = 300_000;

interface Leaving {
  g: number;
  time: number;
  entry: number | null;
  events: number;
  left: number;
}

interface Found {
  sizes: FoundSizes;
  leaving: Leaving[] | null;
  followed: number;
  owners: number;
}

/**
 * Builds the survival of groups: curves with numbers at risk. Unless groups share patients, also the log-rank test, and hazard
 * ratios to the first group by Cox.
 */
export function groupSurvivalPart(aggregate: AggregateOf<'survival'>, building: Building): Part {
  const { statement } = building;
  const members = membersOf(aggregate, building);
  const owners = `SELECT DISTINCT g, patient FROM ${members.members} WHERE patient IS NOT NULL`;
  const followed = statement.relation(
    JSON.stringify(['followed', members.members, { ...aggregate, id: '' }]),
    () =>
      `SELECT m.g, f.* FROM (${owners}) AS m JOIN (${followedSql(aggregate, statement)}) AS f ON f.patient = m.patient`,
  );
  const leaving = `SELECT g, time, entry, count(*) FILTER (event) AS events, count(*) AS gone FROM ${followed} GROUP BY g, time, entry`;
  return {
    sql: `SELECT to_json({'sizes': (${sizesSql(members)}), 'owners': (SELECT count(*) FROM (${owners})),
      'followed': (SELECT count(*) FROM ${followed}),
      'leaving': (SELECT list({'g': g, 'time': time, 'entry': entry, 'events': events, 'left': gone} ORDER BY g, time) FROM (${leaving}))})`,
    result: ({ sizes, leaving: found, followed: kept, owners: all }: Found) => {
      const known = groupsOf(aggregate, sizes);
      const subjects = aggregate.groups.map((_, at) => followedIn((found ?? []).filter(({ g }) => g === at)));
      const curves = subjects.map((group) => kaplanMeier(group, aggregate.scale ?? 'log'));
      if (curves.some(({ steps }) => steps.length > stepsMax)) {
        const message = `A curve has more than ${stepsMax} steps.`;
        return { error: { code: 'TOO_MANY_STEPS', message } };
      }
      return {
        survival: {
          ...known,
          leftOut: all - kept,
          curves: curves.map((curve, at) => shown(aggregate, curve, known.groups[at]?.id ?? '')),
          ...(!known.reason && testsOf(aggregate, subjects, curves)),
        },
      };
    },
  };
}

function followedIn(leaving: readonly Leaving[]): Followed[] {
  return leaving.flatMap(({ time, entry, events, left }) => {
    const at = { time, ...(entry !== null && { entry }) };
    return [
      { ...at, isEvent: true, count: events },
      { ...at, isEvent: false, count: left - events },
    ];
  });
}

function shown({ landmarks = [] }: AggregateOf<'survival'>, curve: Curve, id: string) {
  const { subjects, ...numbers } = curve;
  return {
    ...{ id, patients: subjects, ...numbers },
    landmarks: landmarks.map((time) => {
      const step = survivalAt(curve, time);
      return { time, survival: step?.survival ?? null, low: step?.low ?? null, high: step?.high ?? null };
    }),
  };
}

function testsOf(
  { groups }: AggregateOf<'survival'>,
  subjects: readonly Followed[][],
  curves: readonly Curve[],
) {
  const test = logRank(subjects);
  const first = curves.findIndex(({ subjects: count }) => count > 0);
  const others = groups.flatMap((_, at) => (at !== first && (curves[at]?.subjects ?? 0) > 0 ? [at] : []));
  const effort = others.length ** 2 * curves.reduce((sum, { steps }) => sum + steps.length, 0);
  const described = subjects.flatMap((group, at) =>
    group.map((one) => ({ ...one, covariates: others.map((other) => Number(other === at)) })),
  );
  const hazards = effort <= effortMax ? cox(described) : undefined;
  const trend = hazards && proportionality(described, hazards);
  const idOf = (at: number): string => groups[at]?.id ?? '';
  const pairs = others.flatMap((at) => {
    const [one, other] = [test?.groups[first], test?.groups[at]];
    const ratio = one && other && eventRatio({ groups: [one, other] });
    return ratio ? [{ id: idOf(at), ...ratio }] : [];
  });
  return {
    ...(test && {
      logRank: { statistic: test.statistic, degrees: test.degrees, p: test.p },
      eventRatios: pairs,
      expected: test.groups.map((count, at) => ({ id: idOf(at), ...count })),
    }),
    ...(first >= 0 && { reference: idOf(first) }),
    ...(hazards && {
      hazards: hazards.map(({ ratio, low, high, p }, at) => ({
        id: idOf(others[at] ?? 0),
        ratio,
        low,
        high,
        p,
      })),
    }),
    ...(trend && {
      proportionality: { statistic: trend.statistic, degrees: trend.degrees, p: trend.p },
    }),
    ...(effort > effortMax && { hazardsLeftOut: true }),
  };
}
