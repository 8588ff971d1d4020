import type { LeafSql } from '../alterations.ts';
import { clockOf, knownOf, momentsOf } from './moments.ts';
import type { Criterion, Moment, Rule, Timed } from './shapes.ts';

/** Builds the SELECT of the patients with an index event that passes all rules. */
export function timedPatients(statement: LeafSql, timed: Timed): string {
  return `SELECT patient FROM (${indexEvents(statement, timed)}) WHERE ${passesAll(timed)}`;
}

/** Returns the rules that are not switched off. */
export const appliedRules = ({ rules = [] }: Timed): Rule[] => rules.filter(({ off }) => off !== true);

/** Returns the condition on index events that pass the rule of a prior record and all others. */
const passesAll = (timed: Timed): string =>
  ['prior', ...appliedRules(timed).map((_, at) => `rule${at}`)].join(' AND ');

/**
 * Builds the index events: `row`, `patient`, `day`, `stop`, and a flag for each rule, `prior` and `rule0` onwards. An index event
 * never counts among the events of its own rules.
 */
export function indexEvents(statement: LeafSql, timed: Timed): string {
  const { event, which = 'first', priorDays } = timed.index;
  const { parameters } = statement.compiler;
  const order = which === 'last' ? 'day DESC, row DESC' : 'day, row';
  const one =
    which === 'every' ? '' : `QUALIFY row_number() OVER (PARTITION BY patient ORDER BY ${order}) = 1`;
  const entries = `SELECT row, patient, day, greatest(day, stop) AS stop FROM (${momentsSql(statement, event)}) ${one}`;
  const joins: string[] = [];
  const flags = appliedRules(timed).map(({ criteria, need }, at) => {
    const tests = criteria.map((criterion, of) => {
      const name = `c${at}_${of}`;
      joins.push(`LEFT JOIN (${countedSql(statement, criterion, event)}) AS ${name} ON ${name}.row = e.row`);
      const n = `coalesce(${name}.n, 0)`;
      const { countMax, countMin = countMax === undefined ? 1 : 0 } = criterion;
      const most = countMax === undefined ? '' : ` AND ${n} <= ${parameters.add(countMax, 'BIGINT')}`;
      return `(${n} >= ${parameters.add(countMin, 'BIGINT')}${most})`;
    });
    return `(${tests.join(need === 'any' ? ' OR ' : ' AND ')}) AS rule${at}`;
  });
  const prior =
    priorDays === undefined ? 'true' : `k.first <= e.day - ${parameters.add(priorDays, 'BIGINT')}`;
  if (priorDays !== undefined)
    joins.push(`JOIN ${statement.base(knownOf(clockOf(event.of)))} AS k ON k.patient = e.patient`);
  return `WITH _entry AS MATERIALIZED (${entries})
    SELECT e.*, ${[`${prior} AS prior`, ...flags].join(', ')} FROM _entry AS e ${joins.join('\n')}`;
}

/** Builds the number of events of a criterion for each index event that has any. */
function countedSql(statement: LeafSql, { event, within }: Criterion, index: Moment): string {
  const { parameters } = statement.compiler;
  const from = within?.of === 'end' ? 'x.stop' : 'x.day';
  const tests = [
    ...(within?.from === undefined ? [] : [`m.day >= ${from} + ${parameters.add(within.from, 'BIGINT')}`]),
    ...(within?.to === undefined ? [] : [`m.day <= ${from} + ${parameters.add(within.to, 'BIGINT')}`]),
    ...(event.of === index.of ? ['m.row <> x.row'] : []),
  ];
  return `SELECT x.row, count(*) AS n FROM _entry AS x JOIN (${momentsSql(statement, event)}) AS m ON ${['m.patient = x.patient', ...tests].join(' AND ')}
    GROUP BY x.row`;
}

function momentsSql(statement: LeafSql, { of, codes, agents, value }: Moment): string {
  const ends = Object.entries(value ?? {}).map(
    ([end, number]) =>
      `number ${rangeSigns[end as keyof typeof rangeSigns]} ${statement.compiler.parameters.add(number, 'DOUBLE')}`,
  );
  const tests = [
    ...(codes ? [`code IN (${statement.listed(codes)})`] : []),
    ...(agents ? [`agent IN (${statement.listed(agents)})`] : []),
    ...ends,
  ];
  const which = tests.length > 0 ? ` WHERE ${tests.join(' AND ')}` : '';
  return `SELECT row, patient, day, stop FROM ${statement.base(momentsOf(of))}${which}`;
}

const rangeSigns = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * Builds the SELECT (patient, time, entry, event) of members: days from the index event to another event. Observation ends at
 * the exit, at an event that censors, or with the record.
 */
export function followedFromIndex(statement: LeafSql, timed: Timed, to: Moment): string {
  const { index, exit, censor = [] } = timed;
  const { parameters } = statement.compiler;
  const next = (moment: Moment): string => {
    const other = moment.of === index.event.of ? 'AND m.row <> o.row' : '';
    return `SELECT o.patient, min(m.day) AS day FROM _origin AS o
      JOIN (${momentsSql(statement, moment)}) AS m ON m.patient = o.patient AND m.day >= o.day ${other} GROUP BY o.patient`;
  };
  const ends = [...(exit?.event ? [exit.event] : []), ...censor].map(next);
  const after = exit?.afterDays === undefined ? [] : [`o.day + ${parameters.add(exit.afterDays, 'BIGINT')}`];
  const last = `least(${['k.last', ...after, ...ends.map((_, at) => `x${at}.day`)].join(', ')})`;
  const joins = ends.map((sql, at) => `LEFT JOIN (${sql}) AS x${at} ON x${at}.patient = o.patient`);
  return `WITH _origin AS MATERIALIZED (SELECT row, patient, day FROM (${indexEvents(statement, timed)}) WHERE ${passesAll(timed)}
      QUALIFY row_number() OVER (PARTITION BY patient ORDER BY day, row) = 1)
    SELECT o.patient, CAST(least(t.day, ${last}) - o.day AS DOUBLE) AS time, CAST(NULL AS DOUBLE) AS entry, coalesce(t.day <= ${last}, false) AS event
    FROM _origin AS o JOIN ${statement.base(knownOf(clockOf(index.event.of)))} AS k ON k.patient = o.patient
    LEFT JOIN (${next(to)}) AS t ON t.patient = o.patient ${joins.join('\n')}`;
}
