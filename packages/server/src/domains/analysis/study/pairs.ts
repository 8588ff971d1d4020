import { Type } from 'typebox';
import { textOf } from '../../../api/shapes.ts';
import type { AggregateOf } from './aggregates.ts';
import type { Building, Part } from './building.ts';
import type { Cell, Cells } from './cells.ts';
import { kindBit, printRelations, subjectsMax } from './print-cells.ts';

const counted = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description: `${description}; null: too few to be shown` });

/** Schema of the pairs of genes. */
export const pairsShape = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        first: textOf('Gene'),
        second: textOf('Gene'),
        both: counted('Subjects with both altered'),
        firstOnly: counted('Subjects with the first altered only'),
        secondOnly: counted('Subjects with the second altered only'),
        neither: counted('Subjects with none of them altered'),
        leftOut: counted('Subjects that are not profiled for both'),
      }),
      { description: 'Each pair once. The four counts are of the subjects that are profiled for both genes' },
    ),
  },
  { title: 'StudyPairs', description: 'Subjects by the alterations of two genes' },
);

interface FoundPair {
  first: string;
  second: string;
  both: Cell;
  examined: Cell;
  firstOnly: Cell;
  secondOnly: Cell;
}

/** Builds the 2 × 2 table of each pair of genes, over the subjects that are profiled for both. */
export function pairsPart(aggregate: AggregateOf<'pairs'>, building: Building): Part {
  const { statement, set, cells } = building;
  const { wanted, placed, bits, events } = printRelations(aggregate, building);
  const name = (part: string, sql: () => string): string =>
    statement.relation(JSON.stringify([part, events]), sql);
  // Alterations of a kind that a subject is not profiled for do not count.
  const altered = name(
    'altered',
    () => `SELECT DISTINCT e.gene_place AS g, e.subject, e.patient, e.digest, e.pattern FROM ${events} AS e
      JOIN ${bits} AS b ON b.pattern = e.pattern AND b.gene_place = e.gene_place WHERE b.bits & (${kindBit}) <> 0`,
  );
  const profiled = `SELECT pattern, gene_place AS g FROM ${bits} WHERE bits <> 0`;
  const counts = `SELECT pattern, ${cells.rows()} AS cell FROM ${placed} GROUP BY pattern`;
  const examined = `SELECT x.g, y.g AS h, ${totalSql(cells)} AS cell FROM (${profiled}) AS x JOIN (${profiled}) AS y
    ON y.pattern = x.pattern AND x.g < y.g JOIN (${counts}) AS c ON c.pattern = x.pattern GROUP BY x.g, y.g`;
  const both = `SELECT x.g, y.g AS h, ${cells.rows()} AS cell FROM (SELECT g, subject, patient, digest FROM ${altered}) AS x
    JOIN (SELECT g, subject FROM ${altered}) AS y ON y.subject = x.subject AND x.g < y.g GROUP BY x.g, y.g`;
  const only = name(
    'only',
    () => `SELECT x.g, y.g AS h, ${cells.rows()} AS cell FROM ${altered} AS x JOIN (${profiled}) AS y
      ON y.pattern = x.pattern AND y.g <> x.g ANTI JOIN ${altered} AS z ON z.subject = x.subject AND z.g = y.g GROUP BY x.g, y.g`,
  );
  const pairs = `SELECT a.gene AS one, b.gene AS other, a.gene_place AS g, b.gene_place AS h, t.cell AS together, e.cell AS examined,
      f.cell AS first_only, s.cell AS second_only
    FROM ${wanted} AS a JOIN ${wanted} AS b ON a.gene_place < b.gene_place
      LEFT JOIN (${examined}) AS e ON e.g = a.gene_place AND e.h = b.gene_place
      LEFT JOIN (${both}) AS t ON t.g = a.gene_place AND t.h = b.gene_place
      LEFT JOIN ${only} AS f ON f.g = a.gene_place AND f.h = b.gene_place
      LEFT JOIN ${only} AS s ON s.g = b.gene_place AND s.h = a.gene_place`;
  return {
    sql: `SELECT to_json({'n': (SELECT ${cells.near()} FROM ${set}), 'pairs': (SELECT list({'first': one, 'second': other, 'both': together,
      'examined': examined, 'firstOnly': first_only, 'secondOnly': second_only} ORDER BY g, h) FROM (${pairs}))})`,
    result: ({ n, pairs: found }: { n: number; pairs: FoundPair[] | null }) =>
      n > subjectsMax
        ? {
            error: {
              code: 'TOO_MANY_SUBJECTS',
              message: `Pairs of genes are counted for ${subjectsMax} subjects at most. Add a condition.`,
            },
          }
        : { pairs: { items: (found ?? []).map((pair) => shownPair(pair, n, cells)) } },
  };
}

/** Returns the SQL of the total of cells of disjoint subjects: about the patients of the largest at least. */
function totalSql({ hides }: Cells): string {
  return hides
    ? "{'n': sum(cell.n), 'p': max(cell.p), 'k': string_agg(cell.k, ',' ORDER BY cell.k)}"
    : 'sum(cell)';
}

function shownPair(
  { first, second, examined, both, firstOnly, secondOnly }: FoundPair,
  n: number,
  cells: Cells,
) {
  const altered = [both, firstOnly, secondOnly];
  const shown = (cell: Cell): number | null => cells.shown(cell ?? 0);
  return {
    ...{ first, second, both: shown(both), firstOnly: shown(firstOnly), secondOnly: shown(secondOnly) },
    neither: shown(without(examined, altered)),
    // The number of all patients is rounded by itself: a difference to it would be another rounding.
    leftOut: cells.hides ? null : n - numberOf(examined),
  };
}

const numberOf = (cell: Cell): number => (typeof cell === 'object' ? (cell?.n ?? 0) : cell);
const patientsOf = (cell: Cell): number => (typeof cell === 'object' ? (cell?.p ?? 0) : cell);

/** Removes disjoint parts from a cell. The rest is about at least as many patients as the difference. */
function without(whole: Cell, parts: readonly Cell[]): Cell {
  const n = parts.reduce<number>((rest, part) => rest - numberOf(part), numberOf(whole));
  if (whole === null || typeof whole === 'number') return n;
  const p = parts.reduce<number>((rest, part) => rest - patientsOf(part), whole.p);
  const digests = parts.map((part) => (typeof part === 'object' ? (part?.k ?? '') : ''));
  return { n, p: Math.max(0, p), k: [whole.k, ...digests].join('/') };
}
