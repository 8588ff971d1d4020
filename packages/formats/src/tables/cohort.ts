import { defineTable } from './table.ts';

/** Kept by the service, not ingested, so that statements can join it. */
export const cohort = defineTable({
  name: 'cohort',
  area: 'derived',
  about: 'Patients of each cohort.',
  plural: 'cohorts',
  orderBy: ['cohort_id', 'patient_id'],
  columns: {
    cohort_id: ['string', 'none', 'Id of the cohort.'],
    patient_id: ['string', 'hash', 'Patient of the row.'],
  },
});
