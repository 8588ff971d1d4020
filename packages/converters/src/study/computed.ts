import type { ConvertedTable } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import type { ClinicalTables } from './clinical-tables.ts';

/** Absolute mean (log2) from which a segment counts as altered. */
const alteredMean = 0.2;

/** Share of the length of segments that is altered. Ratios have their digits rounded: 0.2 is in. */
const alteredShare = `round(sum(CASE WHEN abs(log2(copy_number / 2)) >= ${alteredMean} - 1e-9 THEN length ELSE 0 END) / sum(length), 4)`;

/** Defines the attributes that are computed: those of the files are never taken, which may be of other data. */
export function defineComputed(
  clinical: ClinicalTables,
  derived: readonly ConvertedTable[],
  hasSegments: boolean,
): void {
  if (derived.some(({ table }) => table === 'alteration'))
    clinical.defineComputed(
      {
        id: 'MUTATION_COUNT',
        name: 'Mutation Count',
        type: 'number',
        description: 'Mutations of proteins, splice sites and promoters in the sample',
        priority: 30,
      },
      'sample',
    );
  if (hasSegments)
    clinical.defineComputed(
      {
        id: 'FRACTION_GENOME_ALTERED',
        name: 'Fraction Genome Altered',
        type: 'number',
        description: `Share of the length of segments whose mean is at least ${alteredMean} from 0`,
        priority: 20,
      },
      'sample',
    );
}

/** Returns SELECTs of the computed values. A sample that was not examined has none. */
export function computedValues(
  made: readonly ConvertedTable[],
  tables: readonly ConvertedTable[],
  hasSegments: boolean,
): string[] {
  const from = (name: string, of = made): string =>
    `read_parquet(${literal(of.find(({ table }) => table === name)?.path ?? '')})`;
  const has = (name: string): boolean => made.some(({ table }) => table === name);
  const samples = `(SELECT id AS sample_id, patient_id FROM ${from('sequence')} WHERE patient_id IS NOT NULL)`;
  const values = (id: string, number: string) =>
    `SELECT ${literal(id)} AS attribute_id, patient_id, sample_id, ${number}::VARCHAR AS value, ${number}::DOUBLE AS number`;
  return [
    ...(has('alteration')
      ? [
          `${values('MUTATION_COUNT', 'count(a.gene)')} FROM ${from('sample_profile')} AS p JOIN ${samples} USING (sample_id)
            LEFT JOIN (FROM ${from('alteration')} WHERE kind = 'mutation') AS a USING (sample_id)
            WHERE p.kind = 'mutation' GROUP BY patient_id, sample_id`,
        ]
      : []),
    ...(hasSegments
      ? [
          `${values('FRACTION_GENOME_ALTERED', alteredShare)}
            FROM (SELECT *, end_position - start_position AS length FROM ${from('copynumber', [...tables])} WHERE gene IS NULL AND copy_number > 0)
            JOIN ${samples} USING (sample_id) GROUP BY patient_id, sample_id HAVING sum(length) > 0`,
        ]
      : []),
  ];
}
