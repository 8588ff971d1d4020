import type { AggregateOf } from './aggregates.ts';
import { expressionOf, meansOf } from './axes.ts';
import type { Building, Part } from './building.ts';
import { profilesOf } from './genes.ts';
import { alterationKinds } from './node.ts';
import { alterationsOf } from './relations.ts';

/** Number of subjects of a plot. */
const pointsMax = 20_000;

interface Found {
  count: number;
  points: { x: number | string; y: number | string; colour: number | string | null }[] | null;
}

/** Builds the values of two axes, and of a third for colours, in each subject that has both; in no order, without ids. */
export function pointsPart({ x, y, colour }: AggregateOf<'points'>, building: Building): Part {
  const { statement, set } = building;
  const [left, right] = [axisOf(x, building), axisOf(y, building)];
  const third =
    colour === undefined ? '' : `LEFT JOIN ${axisOf(colour, building)} AS c ON c.subject = m.subject`;
  const pairs = statement.relation(
    JSON.stringify(['plotted', set, x, y, colour]),
    () => `SELECT a.value AS x, b.value AS y, ${colour === undefined ? 'NULL' : 'c.value'} AS colour FROM ${set} AS m
      JOIN ${left} AS a ON a.subject = m.subject JOIN ${right} AS b ON b.subject = m.subject ${third}`,
  );
  const shown = `SELECT * FROM ${pairs} ORDER BY hash(x, y) LIMIT ${pointsMax}`;
  return {
    sql: `SELECT to_json({'count': (SELECT count(*) FROM ${pairs}), 'points': (SELECT list({'x': x, 'y': y, 'colour': colour}) FROM (${shown}))})`,
    result: ({ count, points }: Found) => {
      if (count > pointsMax) {
        const message = `There are more than ${pointsMax} subjects with both values: choose fewer by the filter.`;
        return { error: { code: 'TOO_MANY_POINTS', message } };
      }
      return {
        points: {
          count,
          points: (points ?? []).map(({ colour: of, ...one }) => ({
            ...one,
            ...(of !== null && { colour: of }),
          })),
        },
      };
    },
  };
}

/** Builds the relation (subject, value as JSON) of an axis: an attribute, or a gene behind `expression:` or a kind of alteration. */
function axisOf(axis: string, building: Building): string {
  const { statement, set } = building;
  const [, kind = '', gene = ''] = /^(expression|mutation|copy_number|fusion):(.+)$/.exec(axis) ?? [];
  return statement.relation(JSON.stringify(['axis', set, axis]), () => {
    if (kind === 'expression') return expressionOf(gene, statement);
    const known = alterationKinds.find((one) => one === kind);
    return known ? stateOf(known, gene, building) : meansOf(axis, statement);
  });
}

/** States of a gene: classes of its alterations, or none; subjects that are not profiled for it are absent. */
function stateOf(kind: (typeof alterationKinds)[number], gene: string, building: Building): string {
  const { statement } = building;
  const { profiles, covered } = profilesOf(kind, building);
  const name = statement.compiler.parameters.add(gene, 'VARCHAR');
  const altered = `SELECT subject, string_agg(DISTINCT class, ', ' ORDER BY class) AS state FROM ${statement.base(alterationsOf([gene]))}
    WHERE kind = ${statement.compiler.parameters.add(kind, 'VARCHAR')} AND gene = ${name} GROUP BY subject`;
  return `SELECT DISTINCT p.subject, to_json(coalesce(a.state, 'none')) AS value FROM ${profiles} AS p
    LEFT JOIN (${altered}) AS a ON a.subject = p.subject
    WHERE p.panels IS NULL OR p.panels IN (SELECT panels FROM ${covered} WHERE gene = ${name})`;
}
