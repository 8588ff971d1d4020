import { writeFilter } from '../subjects/facets.ts';

/** A way on from the overview. */
export interface Step {
  title: string;
  text: string;
  /** Page of the project. */
  page: string;
  search?: Record<string, string>;
}

/** First question over the sample project: patients with melanoma, their BRAF variants and medicines. */
const firstQuestion = `SELECT DISTINCT patient.patient_id, condition.display AS condition,
  variant.gene, variant.amino_acid_change, medication.display AS medication
FROM patient
JOIN condition ON condition.patient_id = patient.patient_id
JOIN sequence ON sequence.patient_id = patient.patient_id
JOIN variant ON variant.sample_id = sequence.id
JOIN medication ON medication.patient_id = patient.patient_id
  AND medication.reason_code = condition.code
WHERE condition.display ILIKE '%melanoma%' AND condition.verification_status = 'confirmed'
  AND variant.gene = 'BRAF' AND variant.clinical_significance ILIKE '%pathogenic%'
  AND medication.status IN ('active', 'completed')
ORDER BY patient.patient_id, medication`;

/** Examples in the sample project. */
export const sampleSteps: Step[] = [
  {
    title: 'Subjects with melanoma',
    text: 'Choose values and see who has them; a subject opens with timeline and measurements.',
    page: 'subjects',
    search: { filter: writeFilter({ condition: ['Malignant melanoma (disorder)'] }) },
  },
  {
    title: 'Variants of BRAF',
    text: 'Changes along the protein, their significance, and their carriers.',
    page: 'variants',
    search: { gene: 'BRAF' },
  },
  {
    title: 'Reads of BRAF V600E',
    text: 'Reads of one sample beside its variants and the reference, all of them invented.',
    page: 'genome',
    search: { locus: 'chr7:140753286-140753386', sample: 'SYN0001' },
  },
  {
    title: 'A question in SQL',
    text: 'Which patients have melanoma and a pathogenic variant of BRAF, and which treatment? Run answers it.',
    page: 'sql',
    search: { sql: firstQuestion },
  },
];

/** Ways on in a project with these tables. */
export function stepsFor(tables: string[]): Step[] {
  const has = (...names: string[]): boolean => names.some((name) => tables.includes(name));
  return [
    ...(has('patient')
      ? [{ title: 'Find subjects', text: 'Choose values and see who has them.', page: 'subjects' }]
      : []),
    ...(has('variant')
      ? [
          { title: 'Look at variants', text: 'By gene, consequence and significance.', page: 'variants' },
          { title: 'See reads', text: 'Reads and variants along the genome.', page: 'genome' },
        ]
      : []),
    ...(has('patient')
      ? [{ title: 'Compare cohorts', text: 'Survival and shares of values.', page: 'cohorts' }]
      : []),
    { title: 'Ask in SQL', text: 'All tables together; rows, charts and files.', page: 'sql' },
  ];
}
