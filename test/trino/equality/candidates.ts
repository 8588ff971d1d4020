import {
  aggregateFunctions,
  literalPlaces,
  renamedFunctions,
} from '../../../packages/engine/src/cluster/functions.ts';
import { allowedFunctions } from '../../../packages/engine/src/guard/functions.ts';
import { aggregates } from '../../../packages/engine/src/guard/rewrite/aggregates.ts';
import { dialectNames } from '../../../packages/engine/src/guard/rewrite/dialect-names.ts';
import { edges, groupsOf, manyDoubles, tableOf } from './edges.ts';

/** Expression over tables of edges. */
export interface Candidate {
  expression: string;
  /** Types of the tables `a`, `b` and `c`, or of the groups `t`. */
  types: readonly string[];
  kind: 'row' | 'group' | 'whole';
  /** Type of the one unknown operation of a whole statement. */
  gives?: string;
}

/** Types whose tables stand for their family, and those of lists of three. */
const types = Object.keys(edges);
const few = ['INTEGER', 'BIGINT', 'DOUBLE', 'VARCHAR'];
const dated = ['DATE', 'TIMESTAMP'];
const targets = [
  'VARCHAR',
  'BIGINT',
  'INTEGER',
  'DOUBLE',
  'BOOLEAN',
  'DATE',
  'TIMESTAMP',
  'DECIMAL(10,2)',
  'DECIMAL(38,4)',
  'HUGEINT',
];

const infix = ['+', '-', '*', '/', '%', '||', '=', '<>', '<', '<=', '>', '>=', 'LIKE', 'NOT LIKE'];
const comparing = ['IS DISTINCT FROM', 'IS NOT DISTINCT FROM', 'AND', 'OR'];
const units = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'second',
  'dow',
  'doy',
  'isodow',
  'millisecond',
  'epoch',
];

const row = (expression: string, ...of: string[]): Candidate => ({ expression, types: of, kind: 'row' });
const group = (expression: string, ...of: string[]): Candidate => ({ expression, types: of, kind: 'group' });

const whole = (expression: string, gives: string, type: string): Candidate => ({
  expression,
  types: [type],
  kind: 'whole',
  gives,
});

/** Clauses whose meaning depends on which values are equal, and which is the larger one. */
export const clauses: readonly Candidate[] = types.flatMap((type) => {
  const [edge, groups] = [tableOf(type), groupsOf(type)];
  return [
    whole(`SELECT i FROM ${edge} ORDER BY v, i`, type, type),
    whole(`SELECT i FROM ${edge} ORDER BY v DESC NULLS FIRST, i DESC`, type, type),
    whole(`SELECT i FROM ${edge} ORDER BY v DESC, i`, type, type),
    whole(`SELECT v, i FROM ${edge} ORDER BY v, i`, type, type),
    whole(`SELECT DISTINCT v FROM ${groups} ORDER BY v`, type, type),
    whole(
      `SELECT a.i, b.i AS j FROM ${edge} a JOIN (SELECT i + 0 AS i, v FROM ${edge}) b USING (v) ORDER BY a.i, j`,
      type,
      type,
    ),
    whole(`SELECT v FROM ${groups} INTERSECT SELECT v FROM ${edge} ORDER BY v`, type, type),
    whole(`SELECT i, (SELECT max(i) FROM ${edge}) AS m FROM ${edge} ORDER BY i`, 'BIGINT', type),
    whole(
      `SELECT i FROM ${edge} WHERE v IN (SELECT v FROM ${groups} WHERE g > 20) ORDER BY i`,
      'BOOLEAN',
      type,
    ),
    whole(
      `SELECT i FROM ${edge} WHERE v NOT IN (SELECT v FROM ${groups} WHERE g > 20 AND v IS NOT NULL) ORDER BY i`,
      'BOOLEAN',
      type,
    ),
    whole(`SELECT (SELECT v FROM ${edge} ORDER BY i LIMIT 1) AS v`, type, type),
  ];
});

/** Returns windows over every type, and aggregates in windows that are proven without one. */
export function windows(isProven: (name: string, type: string) => boolean): Candidate[] {
  const names = [...new Set([...aggregateFunctions, ...aggregates])];
  return types.flatMap((type) => {
    const over = (call: string, window: string): Candidate =>
      whole(`SELECT i, ${call} OVER (${window}) AS w FROM ${tableOf(type)} ORDER BY i`, 'last', type);
    return [
      ...['row_number()', 'rank()', 'dense_rank()', 'percent_rank()', 'cume_dist()', 'ntile(3)'].flatMap(
        (call) => [over(call, 'ORDER BY v, i'), over(call, 'PARTITION BY v IS NULL ORDER BY v DESC, i')],
      ),
      over('rank()', 'ORDER BY v'),
      ...['lag(v)', 'lead(v)', 'lag(v, 2)', 'first_value(v)', 'last_value(v)', 'nth_value(v, 2)'].map(
        (call) => over(call, 'ORDER BY i'),
      ),
      ...names
        .filter((name) => isProven(name, type))
        .flatMap((name) => [
          over(`${name}(v)`, 'PARTITION BY v IS NULL'),
          over(`${name}(v)`, 'ORDER BY i'),
          over(`${name}(v)`, 'ORDER BY i DESC ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING'),
        ]),
      over('count(*)', 'PARTITION BY v IS NULL ORDER BY i'),
    ];
  });
}

/** Conversions, which other operations make of their values. */
export const conversions: readonly Candidate[] = types.flatMap((from) =>
  targets.flatMap((to) => [row(`CAST(a.v AS ${to})`, from), row(`TRY_CAST(a.v AS ${to})`, from)]),
);

/** Operators and the forms of SQL that are no function. */
export const operators: readonly Candidate[] = [
  ...types.flatMap((a) => [
    ...['-a.v', 'NOT a.v', 'a.v IS NULL', 'a.v IS NOT NULL'].map((one) => row(one, a)),
    row('CASE WHEN a.v IS NULL THEN a.v ELSE a.v END', a),
    row('coalesce(a.v, a.v)', a),
    ...[0, 1, 2, 3, 4, 5, 6, 8, 10].map((digits) => row(`round(a.v, ${digits})`, a)),
    ...units.map((unit) => row(`extract(${unit} FROM a.v)`, a)),
    ...units.map((unit) => row(`date_trunc('${unit}', a.v)`, a)),
  ]),
  ...types.flatMap((a) =>
    types.flatMap((b) => [
      ...[...infix, ...comparing].map((sign) => row(`a.v ${sign} b.v`, a, b)),
      row('CASE WHEN a.v IS NULL THEN a.v ELSE b.v END', a, b),
      row('coalesce(a.v, b.v)', a, b),
      row('nullif(a.v, b.v)', a, b),
    ]),
  ),
  ...dated.flatMap((a) =>
    [...'YymdHISpjabfMishWcekTrvx'].map((letter) => row(`date_format(a.v, '%${letter}')`, a)),
  ),
  ...dated.flatMap((b) =>
    units.flatMap((unit) => [
      ...dated.map((a) => row(`date_diff('${unit}', a.v, b.v)`, a, b)),
      ...['INTEGER', 'BIGINT'].map((a) => row(`date_add('${unit}', a.v, b.v)`, a, b)),
    ]),
  ),
];

/** Function of Trino: how many arguments its forms have, and what it is. */
export interface TrinoFunction {
  arities: ReadonlySet<number>;
  isScalar: boolean;
}

/** Reads `SHOW FUNCTIONS`; functions that differ from call to call are left out. */
export function trinoFunctions(rows: readonly unknown[][]): Map<string, TrinoFunction> {
  const known = new Map<string, TrinoFunction>();
  for (const [name, , args, kind, isDeterministic] of rows.map((one) => one.map(String))) {
    if (isDeterministic !== 'true') continue;
    const arity =
      args === '' ? 0 : (args?.replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '').split(', ').length ?? 0);
    const arities = new Set([...(known.get(name ?? '')?.arities ?? []), arity]);
    known.set(name ?? '', { arities, isScalar: kind === 'scalar' });
  }
  return known;
}

const wide = ['VARCHAR', 'BIGINT', 'INTEGER', 'DOUBLE', 'DATE'];

/** Functions whose result is as long as a number, which edges would make gigabytes. */
const growing = /^(?:lpad|rpad|repeat|sequence|range|generate_series)$/;

/** Returns the functions of the dialect that Trino has, with every choice of types. */
export function functions(known: ReadonlyMap<string, TrinoFunction>): Candidate[] {
  const names = [...new Set([...allowedFunctions, ...dialectNames])].filter(
    (name) =>
      /^[a-z]\w*$/.test(name) &&
      !literalPlaces.has(name) &&
      // Types may differ where values are equal; texts of a language of their own are more than edges show.
      !/^(?:row|map|error|unnest|typeof|regexp_.*|json_.*|is_json_.*|url_.*)$/.test(name) &&
      !growing.test(name),
  );
  return [
    ...names.flatMap((name) => {
      const own = renamedFunctions.get(name) ?? name;
      const found = known.get(own);
      if (!found?.isScalar || aggregateFunctions.has(name)) return [];
      const isOf = (arity: number): boolean =>
        found.arities.has(arity) ||
        (arity > 1 && found.arities.has(1) && /^(?:greatest|least|concat)$/.test(name));
      return [
        ...(isOf(0) ? [row(`${name}()`, 'BOOLEAN')] : []),
        ...(isOf(1) ? types.map((a) => row(`${name}(a.v)`, a)) : []),
        ...(isOf(2) ? wide.flatMap((a) => wide.map((b) => row(`${name}(a.v, b.v)`, a, b))) : []),
        ...(isOf(3)
          ? few.flatMap((a) => few.flatMap((b) => few.map((c) => row(`${name}(a.v, b.v, c.v)`, a, b, c))))
          : []),
      ];
    }),
    ...types.map((a) => row('round(a.v)', a)),
  ];
}

/** Returns the aggregates and windows of the dialect, with every type. */
export function groupings(known: ReadonlyMap<string, TrinoFunction>): Candidate[] {
  const names = [...new Set([...aggregates, ...aggregateFunctions])].filter((name) =>
    known.has(renamedFunctions.get(name) ?? name),
  );
  return [
    group('count(*)', 'BIGINT'),
    ...names.flatMap((name) =>
      types.flatMap((type) => [group(`${name}(v)`, type), group(`${name}(DISTINCT v)`, type)]),
    ),
    ...types.flatMap((type) => [
      group('approx_distinct(v)', type),
      group('array_agg(v ORDER BY v)', type),
      group('array_agg(DISTINCT v ORDER BY v)', type),
      group("listagg(v, ',') WITHIN GROUP (ORDER BY v)", type),
      group("listagg(DISTINCT v, ',') WITHIN GROUP (ORDER BY v)", type),
    ]),
  ];
}

/** Returns the FROM clause of a candidate and the columns that number its rows. */
export function sourceOf({ types: of, kind }: Candidate): { from: string; where: string; keys: string } {
  if (kind === 'whole') return { from: '', where: '', keys: '' };
  if (kind === 'group') return { from: `${groupsOf(of[0] ?? '')} AS t GROUP BY g`, where: '', keys: 'g' };
  if (of.length === 1 && of[0] === 'DOUBLE') return { from: `${manyDoubles} AS a`, where: '', keys: 'a.i' };
  const tables = of.map((type, at) => `${tableOf(type)} AS ${'abc'[at]}`);
  // A share of the combinations of three.
  const where = of.length > 2 ? ' WHERE (a.i * 7 + b.i * 3 + c.i) % 29 = 0' : '';
  return { from: tables.join(' CROSS JOIN '), where, keys: of.map((_, at) => `${'abc'[at]}.i`).join(', ') };
}
