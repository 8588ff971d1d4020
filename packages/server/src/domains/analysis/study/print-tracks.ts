import { Type } from 'typebox';
import { textOf } from '../../../api/shapes.ts';
import { logUnits } from './axes.ts';
import type { Building } from './building.ts';
import { isMeasured } from './relations.ts';

/** Values that a track names. */
const valuesMax = 100;

const numbers = textOf('Number of each subject, joined by commas; empty where there is none');
const orNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

/** Schemas of the tracks of an oncoprint. */
export const trackShapes = {
  tracks: Type.Array(
    Type.Object({
      attribute: textOf('Id of the attribute'),
      values: Type.Array(
        Type.Object({
          value: textOf('Value'),
          label: Type.Union([Type.String(), Type.Null()], { description: 'Words for it' }),
        }),
        { description: `Texts, the most frequent first, at most ${valuesMax}` },
      ),
      codes: textOf(
        'Place in `values` for each subject, joined by commas; `-1`: several values, `-2`: a value beyond the list, empty: none',
      ),
      numbers,
    }),
    { description: 'Attributes, in the order of the request' },
  ),
  expression: Type.Array(
    Type.Object({
      gene: textOf('Symbol'),
      unit: textOf('Unit of most values; others are left out. Empty: not known'),
      isLog: Type.Boolean({ description: 'True: mean and deviation are of log2(x + 1)' }),
      mean: orNull('Mean over all subjects, whatever the filter'),
      deviation: orNull('Standard deviation over all subjects; null for fewer than two'),
      numbers,
    }),
    { description: 'Genes with values, in the order of the request' },
  ),
};

/** Builds the SQL of a list with the values of attributes. */
export function tracksSql(attributes: readonly string[], { statement }: Building, placed: string): string {
  const tracks = attributes.map((attribute) => {
    const id = statement.compiler.parameters.add(attribute, 'VARCHAR');
    const values = statement.values(attribute);
    const found = statement.relation(
      JSON.stringify(['track', placed, attribute]),
      () => `SELECT o.place, count(DISTINCT v.value) FILTER (v.number IS NULL) AS n, min(v.value) FILTER (v.number IS NULL) AS value,
          min(v.label) AS label, avg(v.number) FILTER (isfinite(v.number)) AS number
        FROM ${placed} AS o LEFT JOIN ${values} AS v ON v.subject = o.subject GROUP BY o.place`,
    );
    const often = statement.relation(
      JSON.stringify(['track values', placed, attribute]),
      () => `SELECT value, min(label) AS label, row_number() OVER (ORDER BY count(*) DESC, value) - 1 AS ordinal FROM ${found}
        WHERE n = 1 GROUP BY value ORDER BY ordinal LIMIT ${valuesMax}`,
    );
    const code = `CASE WHEN f.n = 0 THEN '' WHEN f.n > 1 THEN '-1' ELSE coalesce(CAST(t.ordinal AS VARCHAR), '-2') END`;
    return `(SELECT {'attribute': ${id}, 'values': coalesce((SELECT list({'value': value, 'label': label} ORDER BY ordinal) FROM ${often}), []),
      'codes': coalesce(string_agg(${code}, ',' ORDER BY f.place), ''),
      'numbers': coalesce(string_agg(coalesce(CAST(f.number AS VARCHAR), ''), ',' ORDER BY f.place), '')}
      FROM ${found} AS f LEFT JOIN ${often} AS t ON f.n = 1 AND t.value = f.value)`;
  });
  return `[${tracks.join(', ')}]`;
}

/** Builds the SQL of a list with the expression of genes, in the unit that most subjects have. */
export function expressionSql(genes: readonly string[], { statement }: Building, placed: string): string {
  if (genes.length === 0) return '[]';
  const { compiler } = statement;
  const list = compiler.parameters.add(JSON.stringify(genes), 'JSON');
  const measured = statement.relation(
    JSON.stringify(['measured', placed, genes]),
    () => `SELECT r.gene_name AS gene, coalesce(r.expression_unit, '') AS unit, l.subject, avg(r.expression) AS number
      FROM ${compiler.relation('gene')} AS r JOIN ${statement.base('_sample')} AS l ON l.sample_id = r.sample_id
      WHERE l.subject IS NOT NULL AND r.gene_name IN (${statement.listed(genes)}) AND ${isMeasured('r.expression')} GROUP BY ALL`,
  );
  const logs = logUnits.map((unit) => `'${unit}'`).join(', ');
  const isLog = `lower(unit) IN (${logs}) AND min(number) >= 0`;
  const scaled = (isLogged: boolean): string =>
    isLogged ? 'log2(CASE WHEN number >= 0 THEN number + 1 END)' : 'number';
  const either = (statistic: string): string =>
    `CASE WHEN ${isLog} THEN ${statistic}(${scaled(true)}) ELSE ${statistic}(${scaled(false)}) END`;
  const chosen = `SELECT gene, unit, ${isLog} AS is_log, ${either('avg')} AS mean, ${either('stddev_samp')} AS deviation
    FROM ${measured} GROUP BY gene, unit QUALIFY row_number() OVER (PARTITION BY gene ORDER BY count(*) DESC, unit) = 1`;
  const wanted = `SELECT unnest(l) AS gene, generate_subscripts(l, 1) AS ordinal FROM (SELECT from_json(${list}, '["VARCHAR"]') AS l)`;
  const rows = `SELECT w.ordinal, c.*, string_agg(coalesce(CAST(m.number AS VARCHAR), ''), ',' ORDER BY o.place) AS numbers
    FROM (${wanted}) AS w JOIN (${chosen}) AS c ON c.gene = w.gene CROSS JOIN ${placed} AS o
    LEFT JOIN ${measured} AS m ON m.gene = c.gene AND m.unit = c.unit AND m.subject = o.subject GROUP BY ALL`;
  return `coalesce((SELECT list({'gene': gene, 'unit': unit, 'isLog': is_log, 'mean': mean, 'deviation': deviation, 'numbers': numbers} ORDER BY ordinal)
    FROM (${rows})), [])`;
}
