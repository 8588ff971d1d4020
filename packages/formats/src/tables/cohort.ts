import { columns, type Table } from './table.ts';

/** Who is in which cohort, so that statements can join it; kept by the service, not ingested. */
export const cohort: Table = {
  name: 'cohort',
  area: 'derived',
  columns: columns('cohort_id', 'patient_id:string:hash'),
};
