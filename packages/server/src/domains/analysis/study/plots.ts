import type { AggregateOf } from './aggregates.ts';
import type { Building, Part } from './building.ts';

/** Number of cells on each side of a density. */
const sideDefault = 50;
/** Number of groups of boxes, and of values on each side of a table. */
const groupsMax = 50;

interface Box {
  group: string;
  count: number;
  low: number;
  q1: number;
  median: number;
  q3: number;
  high: number;
  mean: number;
}

/** Builds the quartiles of a number by the values of another attribute, the largest groups first. */
export function boxPart({ number, group }: AggregateOf<'box'>, { statement, set }: Building): Part {
  const rows = `SELECT g.value AS name, n.number AS x FROM ${set} AS m JOIN ${statement.values(number)} AS n ON n.subject = m.subject
    JOIN ${statement.values(group)} AS g ON g.subject = m.subject WHERE isfinite(n.number) AND g.value IS NOT NULL`;
  const boxes = `SELECT name, count(*) AS n, min(x) AS low, quantile_cont(x, 0.25) AS q1, median(x) AS q2,
    quantile_cont(x, 0.75) AS q3, max(x) AS high, avg(x) AS mean FROM (${rows}) GROUP BY name ORDER BY n DESC, name LIMIT ${groupsMax + 1}`;
  return {
    sql: `SELECT to_json({'boxes': list({'group': name, 'count': n, 'low': low, 'q1': q1, 'median': q2, 'q3': q3, 'high': high,
      'mean': mean} ORDER BY n DESC, name)}) FROM (${boxes})`,
    result: ({ boxes: found }: { boxes: Box[] | null }) => ({
      box: { groups: (found ?? []).slice(0, groupsMax), isCut: (found ?? []).length > groupsMax },
    }),
  };
}

interface Density {
  n: number;
  pearson: number | null;
  spearman: number | null;
  ends: { x0: number; x1: number; y0: number; y1: number };
  cells: { x: number; y: number; count: number }[] | null;
  points: { x: number; y: number }[] | null;
}

/** Builds the density of two numbers over a grid, or few pairs themselves, with the correlations of Pearson and Spearman. */
export function densityPart(aggregate: AggregateOf<'density'>, { statement, set }: Building): Part {
  const { x, y, side = sideDefault, pointsMax = 0 } = aggregate;
  const points = statement.relation(
    JSON.stringify(['points', set, x, y]),
    () => `SELECT a.number AS x, b.number AS y FROM ${set} AS m JOIN ${statement.values(x)} AS a ON a.subject = m.subject
      JOIN ${statement.values(y)} AS b ON b.subject = m.subject WHERE isfinite(a.number) AND isfinite(b.number)`,
  );
  const ranked = `SELECT (rank() OVER (ORDER BY x)) + (count(*) OVER (PARTITION BY x) - 1) / 2 AS rx,
    (rank() OVER (ORDER BY y)) + (count(*) OVER (PARTITION BY y) - 1) / 2 AS ry FROM ${points}`;
  const ends = `SELECT min(x) AS x0, max(x) AS x1, min(y) AS y0, max(y) AS y1 FROM ${points}`;
  const cellOf = (value: string): string =>
    `CASE WHEN e.${value}1 > e.${value}0 THEN least(${side - 1}, CAST(floor((p.${value} - e.${value}0) / (e.${value}1 - e.${value}0) * ${side}) AS INTEGER)) ELSE 0 END`;
  const cells = `SELECT ${cellOf('x')} AS cx, ${cellOf('y')} AS cy, count(*) AS n FROM ${points} AS p CROSS JOIN (${ends}) AS e GROUP BY cx, cy`;
  const hasPoints = `(SELECT count(*) FROM ${points}) <= ${pointsMax}`;
  // Equal numbers have no correlation, and two pairs always the same one.
  const between = (sql: string): string =>
    `CASE WHEN count(*) > 2 AND isfinite(${sql}) THEN greatest(-1, least(1, ${sql})) END`;
  return {
    sql: `SELECT to_json({'n': (SELECT count(*) FROM ${points}), 'ends': (SELECT {'x0': x0, 'x1': x1, 'y0': y0, 'y1': y1} FROM (${ends})),
      'pearson': (SELECT ${between('corr(x, y)')} FROM ${points}), 'spearman': (SELECT ${between('corr(rx, ry)')} FROM (${ranked})),
      'cells': (SELECT list({'x': cx, 'y': cy, 'count': n} ORDER BY cx, cy) FROM (${cells}) WHERE NOT ${hasPoints}),
      'points': (SELECT list({'x': x, 'y': y} ORDER BY hash(x, y)) FROM ${points} WHERE ${hasPoints})})`,
    result: ({ n, ends: { x0, x1, y0, y1 }, cells: found, points: few, ...correlations }: Density) => ({
      density: {
        ...{
          count: n,
          side,
          ...correlations,
          cells: found ?? [],
          ...(pointsMax > 0 && n <= pointsMax && { points: few ?? [] }),
        },
        ...(n > 0 && { x: { from: x0, to: x1 }, y: { from: y0, to: y1 } }),
      },
    }),
  };
}

interface Crossed {
  cells: { row: string; column: string; count: number }[] | null;
  rows: number;
  columns: number;
}

/** Builds the numbers of subjects by the values of two attributes, the most frequent values of each. */
export function tablePart(aggregate: AggregateOf<'table'>, { statement, set, cells }: Building): Part {
  const { row, column, top = groupsMax } = aggregate;
  const pairs = statement.relation(
    JSON.stringify(['pairs', set, row, column]),
    () => `SELECT m.*, a.value AS one, b.value AS other FROM ${set} AS m
      JOIN ${statement.values(row)} AS a ON a.subject = m.subject JOIN ${statement.values(column)} AS b ON b.subject = m.subject
      WHERE a.value IS NOT NULL AND b.value IS NOT NULL`,
  );
  const often = (name: string): string =>
    `SELECT ${name} FROM ${pairs} GROUP BY ${name} ORDER BY ${cells.hides ? cells.near() : 'count(DISTINCT subject)'} DESC, ${name} LIMIT ${top}`;
  const counted = `SELECT one, other, ${cells.rows()} AS cell FROM ${pairs}
    WHERE one IN (${often('one')}) AND other IN (${often('other')}) GROUP BY one, other`;
  return {
    sql: `SELECT to_json({'cells': (SELECT list({'row': one, 'column': other, 'count': cell} ORDER BY one, other) FROM (${counted})),
      'rows': (SELECT count(DISTINCT one) FROM ${pairs}), 'columns': (SELECT count(DISTINCT other) FROM ${pairs})})`,
    result: ({ cells: found, rows, columns }: Crossed) => {
      const shown = (found ?? []).map((one) => ({ ...one, count: cells.shown(one.count) }));
      const visible = shown.filter(({ count }) => count !== null);
      return { table: { cells: visible, ...(!cells.hides && { rows, columns }) } };
    },
  };
}
