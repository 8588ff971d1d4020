import type { Building } from '../building.ts';
import type { Members } from './groups.ts';
import { meanTest, type Outcome } from './tests.ts';

/** Moments of the expression of genes by group, on a scale of logarithms. */
export interface FoundExpression {
  unit: string | null;
  genes: { gene: string; groups: { g: number; n: number; mean: number; variance: number | null }[] }[] | null;
}

/** Units whose values are logarithms or scores: they are compared as they are. */
const isLog = "regexp_matches(lower(coalesce(expression_unit, '')), 'log|vst|z-?score')";

/**
 * Builds the moments of the expression of each gene in each group: of log2(x + 1), or of values whose unit is a logarithm or a
 * score. Values in the unit of most rows count; of several in a subject the mean.
 */
export function expressionSql({ members }: Members, { statement }: Building): string {
  const { compiler } = statement;
  const samples =
    statement.unit === 'sample'
      ? `${members} AS m ON m.subject = r.sample_id`
      : `_sample AS l ON l.sample_id = r.sample_id JOIN ${members} AS m ON m.subject = l.patient_id`;
  const value = `CASE WHEN ${isLog} THEN r.expression WHEN r.expression > -1 THEN log2(r.expression + 1) END`;
  const rows = statement.relation(
    JSON.stringify(['expression', members]),
    () => `SELECT m.g, m.owner, r.gene_name AS gene, coalesce(r.expression_unit, '') AS unit, avg(${value}) AS x, count(*) AS n
      FROM ${compiler.relation('gene')} AS r JOIN ${samples}
      WHERE r.gene_name IS NOT NULL AND isfinite(r.expression) GROUP BY ALL`,
  );
  const unit = `SELECT unit FROM ${rows} GROUP BY unit ORDER BY sum(n) DESC, unit LIMIT 1`;
  const moments = `SELECT gene, g, count(x) AS n, avg(x) AS mean, var_samp(x) AS variance FROM ${rows}
    WHERE unit = (${unit}) AND x IS NOT NULL GROUP BY gene, g`;
  const genes = `SELECT gene, list({'g': g, 'n': n, 'mean': mean, 'variance': variance}) AS groups FROM (${moments}) GROUP BY gene`;
  return `SELECT {'unit': (${unit}), 'genes': (SELECT list({'gene': gene, 'groups': groups}) FROM (${genes}))}`;
}

/** Yields a test for each gene with two values or more in two groups. */
export function* expressionTests(
  { genes }: FoundExpression,
  groups: number,
): Generator<{ kind: 'expression'; name: string; outcome: Outcome | undefined }> {
  for (const { gene, groups: found } of genes ?? []) {
    const moments = Array.from({ length: groups }, () => ({ count: 0, mean: 0, variance: 0 }));
    for (const { g, n, mean, variance } of found) moments[g] = { count: n, mean, variance: variance ?? 0 };
    yield { kind: 'expression', name: gene, outcome: meanTest(moments) };
  }
}
