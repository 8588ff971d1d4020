import * as clinical from './clinical.ts';
import { cohort } from './cohort.ts';
import { copynumber, fusion, gene, sequence, variant } from './omic.ts';
import type { Table } from './table.ts';

export { internalTables } from './internal.ts';
export { alleleColumns, annotatedColumns, annotation } from './omic.ts';
export type { Column, ColumnType, Mask, Table } from './table.ts';
export { engineTypes, masks } from './table.ts';

/** Every table that a project may have, by name (specification, "Data lake records"). */
export const tables: ReadonlyMap<string, Table> = new Map(
  [variant, copynumber, fusion, gene, sequence, ...Object.values(clinical), cohort].map((table) => [
    table.name,
    table,
  ]),
);
