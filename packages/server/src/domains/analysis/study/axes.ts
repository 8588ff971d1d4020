import type { LeafSql } from './alterations.ts';
import type { LeafOf } from './node.ts';
import { isMeasured, valuesOf } from './relations.ts';

/** Units of which the logarithm is shown: values that are shares or counts of reads. */
export const logUnits = ['tpm', 'fpkm', 'rpkm', 'cpm', 'count', 'counts', 'expected_count'];

/** Numbers of an attribute as their mean, texts as they are; several texts of a subject have one name. */
export function meansOf(attribute: string, statement: LeafSql): string {
  return `SELECT subject, CASE WHEN count(number) > 0 THEN to_json(avg(number)) WHEN count(DISTINCT value) > 1 THEN to_json('several values')
    ELSE to_json(min(coalesce(label, value))) END AS value FROM ${statement.base(valuesOf(attribute))} GROUP BY subject`;
}

/** Builds the mean expression of a gene in each subject, in the unit of most values; units of counts become logarithms. */
export function expressionOf(gene: string, statement: LeafSql): string {
  const { compiler } = statement;
  const rows = `SELECT l.subject, r.expression AS x, coalesce(lower(r.expression_unit), '') AS unit FROM ${compiler.relation('gene')} AS r
    JOIN ${statement.base('_sample')} AS l ON l.sample_id = r.sample_id
    WHERE r.gene_name = ${compiler.parameters.add(gene, 'VARCHAR')} AND ${isMeasured('r.expression')}`;
  const units = logUnits.map((unit) => `'${unit}'`).join(', ');
  const scaled = `CASE WHEN unit IN (${units}) THEN log2(CASE WHEN x >= 0 THEN x + 1 END) ELSE x END`;
  return `SELECT subject, to_json(avg(${scaled})) AS value FROM (${rows})
    WHERE unit = (SELECT unit FROM (${rows}) GROUP BY unit ORDER BY count(*) DESC, unit LIMIT 1) GROUP BY subject HAVING avg(${scaled}) IS NOT NULL`;
}

type Region = LeafOf<'region'>['region'];

/** Builds the SELECT of the subjects whose two numbers are in a polygon, as a plot of both draws them. */
export function regionSubjects(statement: LeafSql, { x, y, logs = [], corners }: Region): string {
  const isLog = (axis: 'x' | 'y'): boolean => logs.includes(axis);
  const scaled = corners.map((corner) =>
    (['x', 'y'] as const).map((axis) => (isLog(axis) ? Math.log10(corner[axis]) : corner[axis])),
  );
  const sides = scaled.map((corner, at) => {
    const next = scaled[(at + 1) % scaled.length] ?? corner;
    return (corner[1] ?? 0) <= (next[1] ?? 0) ? [...corner, ...next] : [...next, ...corner];
  });
  const json = statement.compiler.parameters.add(JSON.stringify(sides), 'JSON');
  const numbers = (axis: 'x' | 'y', of: string): string => {
    const scale = isLog(axis) ? 'CASE WHEN number > 0 THEN log10(number) END' : 'number';
    return `SELECT subject, ${scale} AS number FROM (${numbersOf(of, statement)})`;
  };
  // Sides go upwards. A point within has an odd number of them at its right, which products decide without rounding.
  return `SELECT p.subject FROM (SELECT a.subject, a.number AS x, b.number AS y
      FROM (${numbers('x', x)}) AS a JOIN (${numbers('y', y)}) AS b ON b.subject = a.subject) AS p
    JOIN (SELECT side[1] AS x1, side[2] AS y1, side[3] AS x2, side[4] AS y2
      FROM (SELECT unnest(from_json(${json}, '[["DOUBLE"]]')) AS side)) AS s
    ON p.y >= s.y1 AND p.y < s.y2 AND (s.x2 - s.x1) * (p.y - s.y1) > (p.x - s.x1) * (s.y2 - s.y1)
    GROUP BY p.subject HAVING count(*) % 2 = 1`;
}

/** Builds the numbers of an axis: those that the aggregate `points` answers with. */
function numbersOf(axis: string, statement: LeafSql): string {
  const [, gene] = /^expression:(.+)$/.exec(axis) ?? [];
  const values = gene === undefined ? meansOf(axis, statement) : expressionOf(gene, statement);
  return `SELECT subject, CAST(value AS DOUBLE) AS number FROM (${values}) WHERE json_type(value) NOT IN ('VARCHAR', 'NULL')`;
}
