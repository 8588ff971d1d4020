import { logUnits } from '../axes.ts';
import type { Building } from '../building.ts';
import { isMeasured } from '../relations.ts';
import type { Members } from './groups.ts';
import { meanTest, type Outcome } from './tests.ts';

/** Moments of the expression of genes by group. */
export interface FoundExpression {
  unit: string | null;
  genes: { gene: string; groups: { g: number; n: number; mean: number; variance: number | null }[] }[] | null;
}

/**
 * Builds the moments of the expression of each gene in each group: of log2(x + 1) of counts and shares of reads, of
 * other values as they are. Values in the unit of most rows count; of several in a subject the mean.
 */
export function expressionSql({ members }: Members, { statement }: Building): string {
  const units = logUnits.map((unit) => `'${unit}'`).join(', ');
  const value = `CASE WHEN coalesce(lower(r.expression_unit) IN (${units}), false)
    THEN log2(CASE WHEN r.expression >= 0 THEN r.expression + 1 END) ELSE r.expression END`;
  const rows = statement.relation(
    JSON.stringify(['expression', members]),
    () => `SELECT m.g, m.owner, r.gene_name AS gene, coalesce(r.expression_unit, '') AS unit, avg(${value}) AS x, count(*) AS n
      FROM ${statement.compiler.relation('gene')} AS r JOIN ${statement.base('_sample')} AS l ON l.sample_id = r.sample_id
      JOIN ${members} AS m ON m.subject = l.subject
      WHERE r.gene_name IS NOT NULL AND ${isMeasured('r.expression')} GROUP BY ALL`,
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
