import { linkOptions } from '@tanstack/react-router';
import { writeConditions } from '../../study/conditions.ts';

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

/** Path of a project. */
interface Params {
  project: string;
}

/** Examples in the sample project. */
export const sampleSteps = (params: Params) => [
  {
    title: 'Subjects with melanoma',
    text: 'Choose values and see who has them. A subject opens with a timeline and measurements.',
    link: linkOptions({
      to: '/projects/$project',
      params,
      search: { filter: writeConditions([{ is: { attribute: 'condition.code', in: ['372244006'] } }]) },
    }),
  },
  {
    title: 'Variants of BRAF',
    text: 'Changes along the protein, their significance, and their carriers.',
    link: linkOptions({ to: '/projects/$project/variants', params, search: { gene: 'BRAF' } }),
  },
  {
    title: 'Reads of BRAF V600E',
    text: 'Reads of one sample beside its variants and the reference, all of them invented.',
    link: linkOptions({
      to: '/projects/$project/genome',
      params,
      search: { locus: 'chr7:140753286-140753386', sample: 'SYN0001' },
    }),
  },
  {
    title: 'A question in SQL',
    text: 'Which patients have melanoma and a pathogenic variant of BRAF, and how are they treated? Run answers it.',
    link: linkOptions({ to: '/projects/$project/sql', params, search: { sql: firstQuestion } }),
  },
];

/** Ways on in a project with these tables. */
export function stepsFor(params: Params, tables: string[]) {
  const has = (...names: string[]): boolean => names.some((name) => tables.includes(name));
  return [
    ...(has('patient')
      ? [
          {
            title: 'Find subjects',
            text: 'Choose values and see who has them.',
            link: linkOptions({ to: '/projects/$project', params, search: { view: 'subjects' } }),
          },
        ]
      : []),
    ...(has('variant')
      ? [
          {
            title: 'Look at variants',
            text: 'By gene, consequence and significance.',
            link: linkOptions({ to: '/projects/$project/variants', params }),
          },
          {
            title: 'See reads',
            text: 'Reads and variants along the genome.',
            link: linkOptions({ to: '/projects/$project/genome', params }),
          },
        ]
      : []),
    ...(has('patient')
      ? [
          {
            title: 'Compare cohorts',
            text: 'Survival, and how often each value occurs.',
            link: linkOptions({ to: '/projects/$project/cohorts', params }),
          },
        ]
      : []),
    {
      title: 'Ask in SQL',
      text: 'All tables together; rows, charts and files.',
      link: linkOptions({ to: '/projects/$project/sql', params }),
    },
  ];
}
