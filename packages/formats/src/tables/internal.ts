import { columns, type Table } from './table.ts';

/** Every coding of every concept, for filters that look for a code that is not the first of its concept (docs/formats/fhir.md). */
const coding: Table = {
  name: '_coding',
  area: 'clinical',
  columns: columns(
    'resource_type',
    'resource_id:string:hash',
    'patient_id:string:hash',
    'element',
    'system',
    'code',
    'display',
  ),
};

/** Tables that the service itself reads and no statement names. */
export const internalTables: ReadonlyMap<string, Table> = new Map([[coding.name, coding]]);
