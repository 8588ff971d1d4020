import { Type } from 'typebox';
import { textOf } from '../../../api/shapes.ts';
import type { AggregateOf } from './aggregates.ts';
import type { Building, Part } from './building.ts';
import { printRelations, subjectsMax } from './print-cells.ts';
import { expressionSql, trackShapes, tracksSql } from './print-tracks.ts';

const listed = (description: string) => Type.Array(Type.String(), { description });

/** Schema of an oncoprint. */
export const oncoprintShape = Type.Object(
  {
    subjects: listed('Ids of the subjects, in ascending order; other fields have their places in this list'),
    patients: Type.Array(Type.Union([Type.String(), Type.Null()]), {
      description: 'Patients of the subjects',
    }),
    patterns: listed(
      'For each pattern one digit per gene: the sum of 1, profiled for mutations, 2, for copy numbers, and 4, for fusions',
    ),
    patternOf: textOf('Pattern of each subject, joined by commas'),
    genes: Type.Array(
      Type.Object({
        gene: textOf('Symbol'),
        cells: textOf(
          'Altered subjects in base64, 4 bytes each, the highest first: 16 bits of the place, 16 bits of the code (docs/analytics.md)',
        ),
        changes: listed('Changes of the protein that the cells show'),
        changeOf: textOf('Place in `changes` for each cell, joined by commas; empty where there is none'),
      }),
      { description: 'In the order of the request' },
    ),
    ...trackShapes,
  },
  { title: 'StudyOncoprint', description: 'Alterations of genes in subjects' },
);

interface FoundPrint {
  n: number;
  subjects: string[] | null;
  patients: (string | null)[] | null;
  [more: string]: unknown;
}

/**
 * Builds the cells of genes × subjects. A cell shows one mutation: that of a driver first, then by class. Patterns name the
 * genes that a subject is profiled for.
 */
export function oncoprintPart(aggregate: AggregateOf<'oncoprint'>, building: Building): Part {
  const relations = printRelations(aggregate, building);
  const { wanted, placed, bits } = relations;
  const digits = `SELECT pattern, string_agg(CAST(bits AS VARCHAR), '' ORDER BY gene_place) AS digits FROM ${bits} GROUP BY pattern`;
  const genes = `SELECT list({'gene': w.gene, 'cells': coalesce(c.cells, ''), 'changes': coalesce(c.changes, []),
      'changeOf': coalesce(c.change_of, '')} ORDER BY w.gene_place) FROM ${wanted} AS w
    LEFT JOIN (${packedSql(relations.events)}) AS c ON c.gene_place = w.gene_place`;
  return {
    sql: `SELECT to_json({'n': (SELECT count(*) FROM ${building.set}),
      'subjects': (SELECT list(subject_id ORDER BY place) FROM ${placed}), 'patients': (SELECT list(patient_id ORDER BY place) FROM ${placed}),
      'patterns': coalesce((SELECT list(digits ORDER BY pattern) FROM (${digits})), []),
      'patternOf': coalesce((SELECT string_agg(CAST(pattern AS VARCHAR), ',' ORDER BY place) FROM ${placed}), ''),
      'genes': (${genes}), 'tracks': ${tracksSql(aggregate.tracks ?? [], building, placed)},
      'expression': ${expressionSql(aggregate.expression ?? [], building, placed)}})`,
    result: ({ n, subjects, patients, ...found }: FoundPrint) =>
      n > subjectsMax
        ? {
            error: {
              code: 'TOO_MANY_SUBJECTS',
              message: `The filter finds ${n} subjects, of which an oncoprint shows ${subjectsMax} at most. Add a condition.`,
            },
          }
        : { oncoprint: { subjects: subjects ?? [], patients: patients ?? [], ...found } },
  };
}

/** Builds the cells of each gene: code and change of every altered subject. */
function packedSql(events: string): string {
  const mutation =
    "min({'k': judgement * 16 + mutation_class * 2 + somatic, 'c': change}) FILTER (kind = 'mutation')";
  const copies = "min(copy_class * 4 + judgement) FILTER (kind = 'copy_number')";
  const fusion = "min(judgement + 1) FILTER (kind = 'fusion')";
  const cells = `SELECT gene_place, place, ${mutation} AS mutation, coalesce(${copies}, 0) AS copies, coalesce(${fusion}, 0) AS fusion
    FROM ${events} GROUP BY gene_place, place`;
  const code = 'place * 65536 + coalesce(mutation.k, 0) + 64 * copies + 2048 * fusion';
  const coded = `SELECT gene_place, place, printf('%08x', ${code}) AS hex, nullif(mutation.c, '') AS change FROM (${cells})`;
  const ranked = `SELECT *, CASE WHEN change IS NOT NULL THEN dense_rank() OVER (PARTITION BY gene_place ORDER BY change NULLS LAST) - 1 END AS rank
    FROM (${coded})`;
  return `SELECT gene_place, to_base64(unhex(string_agg(hex, '' ORDER BY place))) AS cells,
      list_sort(list(DISTINCT change) FILTER (change IS NOT NULL)) AS changes,
      string_agg(coalesce(CAST(rank AS VARCHAR), ''), ',' ORDER BY place) AS change_of FROM (${ranked}) GROUP BY gene_place`;
}
